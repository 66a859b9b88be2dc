//! What Dubbo makes of URLs, and what we do.

use super::*;

#[test]
fn urls_become_what_dubbo_makes_of_them() {
    let cases = include_str!("golden.txt")
        .split("\n\n")
        .filter(|case| !case.starts_with('#'));
    let mut count = 0;
    for case in cases {
        let mut lines = case.lines().map(str::trim);
        let original = url(lines.next().unwrap());
        let (wanted, rules): (Vec<_>, Vec<_>) = lines.partition(|line| line.starts_with("= "));
        let place = Applying {
            side: if original.parameter("side") == Some("consumer") {
                Side::Consumer
            } else {
                Side::Provider
            },
            local_host: "192.0.2.2",
        };
        let configurators = of_texts(&rules);
        let made = configurators.apply(&original, &place);
        assert_eq!(wanted, [format!("= {}", made.full_text())], "of\n{case}");
        assert_eq!(configurators.at(&place).apply(&original), made);
        count += 1;
    }
    assert_eq!(count, 150);
}
