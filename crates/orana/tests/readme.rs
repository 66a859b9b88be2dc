//! The README shows a whole program: it is the example `shop`, which is compiled with everything else.

#[test]
fn the_program_in_the_readme_is_the_example() {
    let readme = include_str!("../../../README.md");
    let example = include_str!("../examples/shop.rs");
    let (_, program) = example.split_once("// README: begin\n").unwrap();
    let shown = readme
        .split("```rust\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next());
    assert_eq!(shown, Some(program));
}
