//! Who is answered.
//!
//! A page of somebody else, open in the same browser, can send requests to this machine. It cannot
//! read the answers unless its own name leads here (DNS rebinding), so requests must name this
//! machine in their `Host`. Requests that a browser marks as those of another page are refused, and
//! where the server can be reached from other machines, the link carries a secret.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, Uri};

use crate::error::ViewError;

/// Bytes of the secret.
const SECRET: usize = 24;

/// Decides who is answered.
pub struct Guard {
    address: SocketAddr,
    /// Asked for where the server can be reached from other machines.
    secret: Option<String>,
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It names another machine.
    Host,
    /// It comes from another page.
    Origin,
    /// It does not know the secret.
    Secret,
}

impl Refusal {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Host => "refused: this server answers to its own address only",
            Self::Origin => "refused: the request comes from another page",
            Self::Secret => "refused: the link lacks its token, or has an old one",
        }
    }
}

impl Guard {
    /// Of a server at an address, with a new secret where other machines can reach it.
    pub fn new(address: SocketAddr) -> Result<Self, ViewError> {
        let secret = match address.ip().is_loopback() {
            true => None,
            false => Some(secret()?),
        };
        Ok(Self { address, secret })
    }

    /// The link that opens the page.
    pub fn link(&self) -> String {
        let mut address = self.address;
        // All addresses of this machine: the one that it has for itself.
        match address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
            IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
            IpAddr::V4(_) | IpAddr::V6(_) => {}
        }
        match &self.secret {
            Some(secret) => format!("http://{address}/?token={secret}"),
            None => format!("http://{address}/"),
        }
    }

    /// Refuses requests that name another machine or come from another page.
    pub fn check_sender(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let mut hosts = headers.get_all(HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok());
        let host = host.filter(|host| hosts.next().is_none() && self.is_own(host));
        let host = host.ok_or(Refusal::Host)?;
        let own = format!("http://{host}");
        if headers
            .get_all(ORIGIN)
            .iter()
            .any(|origin| origin != own.as_str())
        {
            return Err(Refusal::Origin);
        }
        let site = headers.get("sec-fetch-site").map(|site| site.as_bytes());
        let mode = headers.get("sec-fetch-mode").map(|mode| mode.as_bytes());
        match site {
            Some(b"cross-site" | b"same-site") if mode != Some(b"navigate") => Err(Refusal::Origin),
            Some(_) | None => Ok(()),
        }
    }

    /// Refuses requests without the secret, where there is one.
    pub fn check_secret(&self, uri: &Uri) -> Result<(), Refusal> {
        let Some(secret) = &self.secret else {
            return Ok(());
        };
        let pairs = uri.query().unwrap_or_default().split('&');
        let token = pairs.filter_map(|pair| pair.strip_prefix("token=")).next();
        match token.is_some_and(|token| is_same(token.as_bytes(), secret.as_bytes())) {
            true => Ok(()),
            false => Err(Refusal::Secret),
        }
    }

    /// Whether a `Host` is this server. A name could lead anywhere tomorrow; an address cannot.
    fn is_own(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !name.is_empty() && !port.contains(']') => (name, port),
            _ => (host, "80"),
        };
        if port != self.address.port().to_string() {
            return false;
        }
        let bare = name.strip_prefix('[').and_then(|n| n.strip_suffix(']'));
        let known: Option<IpAddr> = bare.unwrap_or(name).parse().ok();
        match (known, self.address.ip()) {
            (Some(known), own) if own.is_unspecified() => !known.is_unspecified(),
            (Some(known), own) if own.is_loopback() => known.is_loopback(),
            (Some(known), own) => known == own,
            (None, own) => {
                name.eq_ignore_ascii_case("localhost")
                    && (own.is_loopback() || own.is_unspecified())
            }
        }
    }
}

/// Compares all bytes, so that the time tells nothing of where they differ.
fn is_same(a: &[u8], b: &[u8]) -> bool {
    let differing = a.iter().zip(b).fold(0, |sum, (a, b)| sum | (a ^ b));
    a.len() == b.len() && differing == 0
}

fn secret() -> Result<String, ViewError> {
    let mut bytes = [0; SECRET];
    getrandom::fill(&mut bytes).map_err(|e| ViewError::Start(format!("no random numbers: {e}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(address: &str) -> Guard {
        Guard::new(address.parse().unwrap()).unwrap()
    }

    #[test]
    fn only_names_of_this_machine_are_answered() {
        let local = guard("127.0.0.1:8000");
        for own in [
            "127.0.0.1:8000",
            "localhost:8000",
            "LOCALHOST:8000",
            "[::1]:8000",
        ] {
            assert!(local.is_own(own), "{own}");
        }
        for other in [
            "evil.example:8000",
            "localhost.evil.example:8000",
            "127.0.0.1.evil.example:8000",
            "192.168.0.7:8000",
            "127.0.0.1",
            "127.0.0.1:8001",
            "localhost:",
            "",
            ":8000",
            "[::1]",
            "a@127.0.0.1:8000",
        ] {
            assert!(!local.is_own(other), "{other}");
        }
        let open = guard("0.0.0.0:8000");
        assert!(open.is_own("192.168.0.7:8000") && !open.is_own("evil.example:8000"));
        let one = guard("192.168.0.7:80");
        assert!(
            one.is_own("192.168.0.7") && !one.is_own("192.168.0.8") && !one.is_own("localhost")
        );
    }

    #[test]
    fn the_secret_is_asked_for_where_others_can_reach_the_server() {
        let open = guard("0.0.0.0:8000");
        let link = open.link();
        assert!(link.starts_with("http://127.0.0.1:8000/?token="), "{link}");
        let token = link.rsplit_once("token=").unwrap().1;
        assert_eq!(token.len(), 2 * SECRET);
        let check =
            |query: &str| open.check_secret(&format!("/api/run.json{query}").parse().unwrap());
        assert_eq!(check(&format!("?token={token}")), Ok(()));
        assert_eq!(check(&format!("?a=b&token={token}")), Ok(()));
        let last = &token[..token.len() - 1];
        for wrong in [
            "",
            "?token=",
            &format!("?token={last}"),
            &format!("?token={token}0"),
        ] {
            assert_eq!(check(wrong), Err(Refusal::Secret), "{wrong}");
        }
        assert_ne!(link, guard("0.0.0.0:8000").link());
        assert!(!guard("127.0.0.1:8000").link().contains("token"));
    }
}
