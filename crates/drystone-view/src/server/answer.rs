//! What is answered to a request.

use std::borrow::Cow;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::cache::Key;
use super::{Shared, events};
use crate::error::ViewError;
use crate::page::{INDEX, media_type};
use crate::resource::Resource;

/// What stands before the names of resources.
const API: &str = "/api/";
/// The name of the events.
const EVENTS: &str = "events";
/// A look at the run is good for so long.
const RECENT: Duration = Duration::from_millis(100);
/// What is shorter is not worth packing, bytes.
const WORTH_PACKING: usize = 1024;

/// Headers of every answer: the page runs its own scripts only, asks nobody else, and is shown in
/// no other page.
const HEADERS: [(&str, &str); 7] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
         connect-src 'self'; worker-src 'self'; media-src blob:; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cache-control", "no-store"),
];

/// Answers to all requests.
pub fn router(shared: Arc<Shared>) -> Router {
    Router::new().fallback(answer).with_state(shared)
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    // Requests that may be answered have no body.
    let request = request.into_parts().0;
    let mut response = answered(&shared, &request).await;
    for (name, value) in HEADERS {
        let name = HeaderName::from_static(name);
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    if request.method == Method::HEAD {
        *response.body_mut() = Body::empty();
    }
    response
}

async fn answered(shared: &Arc<Shared>, request: &Parts) -> Response {
    if !matches!(request.method, Method::GET | Method::HEAD) {
        return words(
            StatusCode::METHOD_NOT_ALLOWED,
            "only GET and HEAD are known",
        );
    }
    if let Err(refusal) = shared.guard.check_sender(&request.headers) {
        return words(StatusCode::FORBIDDEN, refusal.words());
    }
    // As it was sent: escapes are not undone, so that there is one way to say a name.
    let path = request.uri.path();
    let name = path.strip_prefix(API);
    if name.is_some() || path == "/" {
        // The files of the page are no secret, and modules cannot pass one on.
        if let Err(refusal) = shared.guard.check_secret(&request.uri) {
            return words(StatusCode::FORBIDDEN, refusal.words());
        }
    }
    match name {
        Some(EVENTS) if request.method == Method::HEAD => Response::default(),
        Some(EVENTS) => {
            shared.look(RECENT).await;
            events::events(shared.progress.subscribe()).into_response()
        }
        Some(name) => match Resource::from_name(name) {
            Some(resource) => answer_resource(shared, resource, &request.headers).await,
            None => words(StatusCode::NOT_FOUND, "there is no such resource"),
        },
        None => answer_file(shared, path),
    }
}

/// A file of the page.
fn answer_file(shared: &Shared, path: &str) -> Response {
    let name = match path {
        "/" => INDEX,
        path => path.strip_prefix('/').unwrap_or(path),
    };
    let found = shared.page.file(name).zip(media_type(name));
    let Some((content, kind)) = found else {
        return words(StatusCode::NOT_FOUND, "there is no such file");
    };
    let body = match content {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => bytes.into(),
    };
    ([(CONTENT_TYPE, kind)], body).into_response()
}

async fn answer_resource(
    shared: &Arc<Shared>,
    resource: Resource,
    headers: &HeaderMap,
) -> Response {
    if !is_constant(resource) {
        shared.look(RECENT).await;
    }
    let takes = headers.get(ACCEPT_ENCODING).and_then(|v| v.to_str().ok());
    let takes_gzip = takes.is_some_and(|v| v.split(',').any(|v| v.trim().starts_with("gzip")));
    // Within this machine packing takes longer than sending.
    let packed = takes_gzip && (shared.is_remote || resource.is_json());
    let made = make(shared, resource, packed).await;
    let (content, packed) = match made {
        Ok(Some(made)) => made,
        Ok(None) => return words(StatusCode::NOT_FOUND, "the run has no such thing"),
        Err(error) => return words(StatusCode::INTERNAL_SERVER_ERROR, &without_path(&error)),
    };
    let kind = match resource.is_json() {
        true => "application/json",
        false => "application/octet-stream",
    };
    let mut response = ([(CONTENT_TYPE, kind)], content).into_response();
    if packed {
        let gzip = HeaderValue::from_static("gzip");
        response.headers_mut().insert(CONTENT_ENCODING, gzip);
    }
    response
}

/// Whether a resource stays as it is while the recording grows.
fn is_constant(resource: Resource) -> bool {
    match resource {
        Resource::Bodies
        | Resource::Shapes
        | Resource::Mesh(_)
        | Resource::Frame(_)
        | Resource::Contacts(_) => true,
        Resource::Run | Resource::Index | Resource::Table(_) => false,
    }
}

/// A resource and whether it is packed: kept from before, or made by a thread that may wait.
async fn make(
    shared: &Arc<Shared>,
    resource: Resource,
    packed: bool,
) -> Result<Option<(Bytes, bool)>, ViewError> {
    let generation = shared.progress.borrow().generation;
    let key = Key {
        generation,
        resource,
        packed,
    };
    let kept = || shared.cache.get(&key).map(|bytes| (bytes, packed));
    if let Some(kept) = kept() {
        return Ok(Some(kept));
    }
    // Others who want the same wait for who came first, and find it made.
    let turn = is_constant(resource).then(|| shared.turns.of(key));
    let _alone = match &turn {
        Some(turn) => Some(turn.lock().await),
        None => None,
    };
    let closed = |_| ViewError::Start("the server is being stopped".to_owned());
    let _turn = shared.makers.acquire().await.map_err(closed)?;
    if let Some(kept) = kept() {
        return Ok(Some(kept));
    }
    shared.made.fetch_add(1, Ordering::Relaxed);
    let maker = shared.clone();
    let made = tokio::task::spawn_blocking(move || {
        let made = maker.view.resource(resource)?;
        let made = made.map(|bytes| match packed && bytes.len() >= WORTH_PACKING {
            true => (Bytes::from(pack(&bytes)), true),
            false => (Bytes::from(bytes), false),
        });
        Ok::<_, ViewError>(made)
    });
    let failed = |_| ViewError::Start("a resource could not be made".to_owned());
    let made = made.await.map_err(failed)??;
    if let Some((bytes, is_packed)) = &made
        && is_constant(resource)
        && *is_packed == packed
    {
        shared.cache.put(key, bytes);
    }
    Ok(made)
}

fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// What went wrong, without the names of folders of this machine.
fn without_path(error: &ViewError) -> String {
    match error {
        ViewError::Recording(error) => error.fault.to_string(),
        ViewError::Io { source, .. } => source.to_string(),
        error => error.to_string(),
    }
}

fn words(status: StatusCode, words: &str) -> Response {
    let kind = [(CONTENT_TYPE, "text/plain; charset=utf-8")];
    (status, kind, format!("{words}\n")).into_response()
}
