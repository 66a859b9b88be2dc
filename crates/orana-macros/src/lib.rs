//! What the compiler can write for the user.
