//! What the server refuses and what it withstands, over real sockets on this machine.
#![cfg(feature = "server")]
#![allow(clippy::unwrap_used, reason = "test code")]

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use crate::common::{MARKUP, ask, connect, get, record, serve, wait_until};
use drystone_view::{RunView, Server, ServerSettings};

#[test]
fn only_resources_and_files_of_the_page_are_there() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 3, 2);
    std::fs::write(folder.path().join("notes.txt"), "a secret").unwrap();
    std::fs::write(folder.path().join("index.html"), "a secret").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("run.json")).unwrap();
    let server = serve(folder.path());
    let outside = [
        "/notes.txt",
        "/api/notes.txt",
        "/frames.dry",
        "/api/frames.dry",
        "/../Cargo.toml",
        "/../../../../../../etc/passwd",
        "/api/../notes.txt",
        "/api/%2e%2e/notes.txt",
        "/api/..%2fnotes.txt",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/api//etc/passwd",
        "//etc/passwd",
        "/api/table/..%2f..%2fnotes.json",
        "/api/table/../notes.json",
        "/api/frame/../../notes.txt",
        "/api/frame/0.bin/..",
        "/api/frame/%30.bin",
        "/api/frame/0.bin%00",
        "/api/",
        "/page/index.html",
        "/render/../index.html",
    ];
    for path in outside {
        let answer = get(server.address(), path);
        assert_eq!(answer.status, 404, "{path}: {}", answer.text());
        assert!(!answer.text().contains("secret") && !answer.text().contains("root:"));
    }
    // The names that are known mean the run and the page, whatever lies in the folder.
    let run = get(server.address(), "/api/run.json");
    assert_eq!((run.status, run.json()["frames"].clone()), (200, 2.into()));
    assert!(
        !get(server.address(), "/index.html")
            .text()
            .contains("secret")
    );
}

#[test]
fn a_foreign_host_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1, 1);
    let server = serve(folder.path());
    let (address, port) = (server.address(), server.address().port());
    let paths = [
        "/",
        "/main.js",
        "/api/run.json",
        "/api/events",
        "/api/frame/0.bin",
    ];
    let foreign = [
        format!("evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        "evil.example".to_owned(),
        format!("127.0.0.1:{}", port ^ 1),
    ];
    for path in paths {
        for host in &foreign {
            let answer = ask(address, "GET", path, &[("Host", host)]);
            assert_eq!(answer.status, 403, "{host} {path}");
        }
        // None at all, and two of them. HTTP asks for one.
        assert!(ask(address, "GET", path, &[]).status >= 400);
        let own = address.to_string();
        let two = ask(
            address,
            "GET",
            path,
            &[("Host", &own), ("Host", "evil.example")],
        );
        assert!(two.status >= 400);
    }
    for own in [format!("localhost:{port}"), format!("127.0.0.1:{port}")] {
        let answer = ask(address, "GET", "/api/run.json", &[("Host", &own)]);
        assert_eq!(answer.status, 200);
    }
}

#[test]
fn a_foreign_origin_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1, 1);
    let server = serve(folder.path());
    let (address, host) = (server.address(), server.address().to_string());
    let own = format!("http://{host}");
    let with = |name: &str, value: &str| {
        let headers = [("Host", host.as_str()), (name, value)];
        ask(address, "GET", "/api/run.json", &headers)
    };
    assert_eq!(with("Origin", &own).status, 200);
    assert_eq!(with("Sec-Fetch-Site", "same-origin").status, 200);
    let https = format!("https://{host}");
    for origin in ["http://evil.example", "null", "http://127.0.0.1", &https] {
        let answer = with("Origin", origin);
        assert_eq!(answer.status, 403, "{origin}");
        assert!(!answer.headers.contains_key("access-control-allow-origin"));
    }
    for site in ["cross-site", "same-site"] {
        assert_eq!(with("Sec-Fetch-Site", site).status, 403);
    }
    // A link on another page may lead here.
    let link = [
        ("Host", host.as_str()),
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Mode", "navigate"),
    ];
    assert_eq!(ask(address, "GET", "/api/run.json", &link).status, 200);
}

#[test]
fn nothing_can_be_changed() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1, 1);
    let server = serve(folder.path());
    let host = server.address().to_string();
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"] {
        let headers = [("Host", host.as_str()), ("Content-Length", "0")];
        let answer = ask(server.address(), method, "/api/run.json", &headers);
        assert_eq!(answer.status, 405, "{method}");
    }
    let head = ask(
        server.address(),
        "HEAD",
        "/api/run.json",
        &[("Host", &host)],
    );
    assert_eq!((head.status, head.body.len()), (200, 0));
}

#[test]
fn pages_run_their_own_scripts_only() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1, 1);
    let server = serve(folder.path());
    for path in [
        "/",
        "/main.js",
        "/api/run.json",
        "/api/frame/0.bin",
        "/nowhere",
    ] {
        let answer = get(server.address(), path);
        let policy = &answer.headers["content-security-policy"];
        assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"));
        assert!(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"));
        assert_eq!(
            answer.headers["x-content-type-options"], "nosniff",
            "{path}"
        );
        assert_eq!(
            answer.headers["cross-origin-resource-policy"],
            "same-origin"
        );
    }
    let page = get(server.address(), "/");
    assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
    // No script within the page: it would not run.
    let text = page.text();
    let tags = text.match_indices("<script");
    for (at, _) in tags {
        let tag = &text[at..at + text[at..].find("</script>").unwrap()];
        assert!(tag.contains("src=") && tag.ends_with('>'), "{tag}");
    }
    assert!(!text.contains(" onload=") && !text.contains("<style"));
}

#[test]
fn names_never_become_markup() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1, 1);
    let server = serve(folder.path());
    let run = get(server.address(), "/api/run.json");
    assert_eq!(run.headers["content-type"], "application/json");
    let run = run.json();
    for name in [
        &run["title"],
        &run["groups"][0]["name"],
        &run["materials"][0]["name"],
    ] {
        assert_eq!(*name, MARKUP);
    }
    assert!(!get(server.address(), "/").text().contains("alert"));
    let answer = get(server.address(), "/%3Cscript%3Ealert(1)%3C/script%3E");
    assert!(answer.headers["content-type"].starts_with("text/plain"));
    assert!(!answer.text().contains("script"));
}

#[test]
fn others_need_the_token_of_the_link() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1, 1);
    let settings = ServerSettings {
        address: Ipv4Addr::UNSPECIFIED.into(),
        ..ServerSettings::default()
    };
    let server = Server::start(RunView::open(folder.path()).unwrap(), settings).unwrap();
    let address = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), server.address().port());
    let token = server.link().split_once("?token=").unwrap().1;
    for path in ["/", "/api/run.json", "/api/events", "/api/frame/0.bin"] {
        assert_eq!(get(address, path).status, 403, "{path}");
        let wrong = format!("{path}?token={}", token.replace(char::is_numeric, "a"));
        assert_eq!(get(address, &wrong).status, 403, "{wrong}");
    }
    for path in ["/", "/api/run.json", "/api/frame/0.bin"] {
        assert_eq!(
            get(address, &format!("{path}?token={token}")).status,
            200,
            "{path}"
        );
    }
    // A name that leads here does not help.
    let host = format!("evil.example:{}", address.port());
    let path = format!("/api/run.json?token={token}");
    assert_eq!(ask(address, "GET", &path, &[("Host", &host)]).status, 403);
}

#[test]
fn a_hundred_clients_at_once_are_served() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 2000, 8);
    let server = serve(folder.path());
    let address = server.address();
    // Each listens to events meanwhile, as a page does.
    let mut listeners = Vec::new();
    for _ in 0..100 {
        let mut socket = connect(address);
        let request = format!("GET /api/events HTTP/1.1\r\nHost: {address}\r\n\r\n");
        socket.write_all(request.as_bytes()).unwrap();
        listeners.push(socket);
    }
    std::thread::scope(|scope| {
        for client in 0..100 {
            scope.spawn(move || {
                assert_eq!(get(address, "/api/run.json").json()["frames"], 8);
                for k in 0..8 {
                    let answer = get(address, &format!("/api/frame/{}.bin", (client + k) % 8));
                    assert_eq!(answer.head(), [2001, 0]);
                    assert_eq!(answer.body.len(), 16 + 24016 + 16008 + 24016 + 24016 + 2008);
                }
            });
        }
    });
    for mut socket in listeners {
        let mut heard = [0; 4096];
        let count = socket.read(&mut heard).unwrap();
        assert!(heard[..count].starts_with(b"HTTP/1.1 200 OK"));
    }
    // Eight hundred frames were sent; each was made once, and the run's description for each client.
    assert_eq!(server.load().made, 8 + 100);
}

#[test]
fn slow_and_vanished_clients_cost_nothing() {
    let folder = tempfile::tempdir().unwrap();
    // Thirteen megabytes a frame: more than the operating system takes in for a client.
    record(folder.path(), 300_000, 2);
    let settings = ServerSettings {
        patience: Duration::from_millis(400),
        ..ServerSettings::default()
    };
    let server = Server::start(RunView::open(folder.path()).unwrap(), settings).unwrap();
    let address = server.address();
    let ask_for = |path: &str| {
        let mut socket = connect(address);
        let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n");
        socket.write_all(request.as_bytes()).unwrap();
        socket
    };
    // Some say half of what they want, some say nothing, some do not read what they asked for, some
    // listen to events and leave.
    let mut slow = Vec::new();
    for _ in 0..20 {
        let mut half = connect(address);
        half.write_all(b"GET /api/run.json HT").unwrap();
        slow.extend([half, connect(address), ask_for("/api/frame/1.bin")]);
        drop(ask_for("/api/events"));
        drop(ask_for("/api/frame/0.bin"));
    }
    // Others are served while these are still there.
    assert_eq!(get(address, "/api/run.json").json()["frames"], 2);
    assert_eq!(get(address, "/api/frame/0.bin").head(), [300_001, 0]);
    // Once patience is at its end, nothing of them is left.
    wait_until("all connections are closed", || {
        server.load().connections == 0
    });
    for socket in &mut slow {
        // All were let go: what waits can be read, and then there is no more.
        let mut rest = Vec::new();
        let ended = socket.read_to_end(&mut rest).map_err(|e| e.kind());
        let is_open = matches!(ended, Err(ErrorKind::WouldBlock | ErrorKind::TimedOut));
        assert!(!is_open, "still waited for");
        let whole = 16 + 300_001 * 45;
        assert!(rest.len() < whole, "{ended:?} after {} bytes", rest.len());
    }
    assert_eq!(get(address, "/api/run.json").status, 200);
}

#[test]
fn a_port_that_is_taken_is_named() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1, 1);
    let server = serve(folder.path());
    let settings = ServerSettings {
        port: server.address().port(),
        ..ServerSettings::default()
    };
    let refused = Server::start(RunView::open(folder.path()).unwrap(), settings);
    let words = refused.err().unwrap().to_string();
    assert!(words.starts_with(&format!("{}: cannot be listened on", server.address())));
}
