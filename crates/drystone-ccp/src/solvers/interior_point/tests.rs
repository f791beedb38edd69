//! Hand-solved cases, each kind of cone, and agreement between forms and with other solvers.
