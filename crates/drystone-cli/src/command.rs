//! One file per command.

pub mod bench;
pub mod check;
pub mod compare;
pub mod experiment;
pub mod export;
pub mod help_files;
pub mod methods;
pub mod render;
pub mod run;
pub mod scenes;
pub mod solve;
pub mod sweep;
pub mod view;
