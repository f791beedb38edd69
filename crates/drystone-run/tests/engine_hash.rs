//! The hash that keys settled states covers what decides bits, not comments and layout.

#[path = "../build.rs"]
#[allow(
    dead_code,
    clippy::print_stdout,
    reason = "the build script runs its own main"
)]
mod build;

fn hash(code: &str) -> u64 {
    build::hash_of_code(code)
}

#[test]
fn comments_documentation_layout_and_tests_do_not_count() {
    let plain = hash("fn f(a: f64) -> f64 { a + 1.0 }");
    for same in [
        "// why\nfn f(a: f64) -> f64 { a + 1.0 /* here */ }",
        "//! A page.\n\n/// What it does.\nfn f(a: f64)\n    -> f64 {\n    a + 1.0\n}",
        "fn f(a: f64) -> f64 { a + 1.0 }\n#[cfg(test)]\nmod tests { fn g() {} }",
        "fn f(a: f64) -> f64 { a + 1.0 }\n#[cfg(test)]\nmod tests;",
    ] {
        assert_eq!(hash(same), plain, "{same}");
    }
}

#[test]
fn code_counts() {
    let plain = hash("fn f(a: f64) -> f64 { a + 1.0 }");
    for other in [
        "fn f(a: f64) -> f64 { a + 1.5 }",
        "fn f(a: f64) -> f64 { 1.0 + a }",
        "fn f(a: f64) -> f64 { (a + 1.0) }",
        "#[inline]\nfn f(a: f64) -> f64 { a + 1.0 }",
        "const B: f64 = 1.0;\nfn f(a: f64) -> f64 { a + 1.0 }",
    ] {
        assert_ne!(hash(other), plain, "{other}");
    }
}
