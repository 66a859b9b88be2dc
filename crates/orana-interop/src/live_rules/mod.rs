//! Rules that an operator changes while calls are made at a steady rate: the changes with whom they leave, the calls with who
//! answered, and the verdict on both. How fast changes come, and against which registry, is said by the scenario.

pub mod calls;
pub mod changes;
pub mod connections;
pub mod operator;
pub mod verdict;

pub use calls::{Call, Calls};
pub use changes::{Act, Change, Expected, Place, cycle};
pub use operator::Operator;
pub use verdict::Verdict;
