//! Events: the page hears of new frames and of the run's state.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::response::sse::{Event, Sse};
use futures_core::Stream;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use crate::run_view::Progress;

/// Something is sent at least so often, so that a client that left is noticed.
const SILENCE: Duration = Duration::from_secs(10);
/// Events that wait for a client. One that does not read them hears the newest later.
const WAITING: usize = 8;

/// The events of a run, for one client.
pub struct Events(mpsc::Receiver<Event>);

impl Stream for Events {
    type Item = Result<Event, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|event| event.map(Ok))
    }
}

/// Answers with events, from what is known now on.
pub fn events(progress: watch::Receiver<Progress>) -> Sse<Events> {
    let (sender, receiver) = mpsc::channel(WAITING);
    tokio::spawn(tell(progress, sender));
    Sse::new(Events(receiver))
}

/// Ends when the client is gone, or the server is.
async fn tell(mut progress: watch::Receiver<Progress>, sender: mpsc::Sender<Event>) {
    let mut told: Option<Progress> = None;
    loop {
        let now = progress.borrow_and_update().clone();
        for event in news(told.as_ref(), &now) {
            if sender.send(event).await.is_err() {
                return;
            }
        }
        told = Some(now);
        match timeout(SILENCE, progress.changed()).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return,
            Err(_) => {
                if sender.send(Event::default().comment("")).await.is_err() {
                    return;
                }
            }
        }
    }
}

/// What a client does not know yet.
fn news(told: Option<&Progress>, now: &Progress) -> Vec<Event> {
    let mut news = Vec::new();
    let event = |name: &str, data: String| Event::default().event(name).data(data);
    if told.is_some_and(|told| told.replaced != now.replaced) {
        news.push(event("replaced", String::new()));
    }
    let known = |told: &Progress| (told.frames, told.generation);
    if told.map(known) != Some(known(now)) {
        news.push(event("frames", now.frames.to_string()));
    }
    if told.is_none_or(|told| told.state != now.state) {
        news.push(event("state", now.state.name().to_owned()));
    }
    news
}
