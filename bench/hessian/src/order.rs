//! The object that is measured: of the size and shape that services exchange, about a kilobyte of fields, lists and
//! objects within.

use orana_macros::Hessian;

/// An order with its lines.
#[derive(Debug, Clone, PartialEq, Hessian)]
#[hessian(class = "org.example.shop.Order")]
pub(crate) struct Order {
    pub(crate) id: i64,
    pub(crate) customer: String,
    pub(crate) status: String,
    pub(crate) currency: String,
    pub(crate) total: f64,
    pub(crate) paid: bool,
    pub(crate) priority: i32,
    pub(crate) created: i64,
    pub(crate) note: Option<String>,
    pub(crate) coupon: Option<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) address: Address,
    pub(crate) lines: Vec<Line>,
}

#[derive(Debug, Clone, PartialEq, Hessian)]
#[hessian(class = "org.example.shop.Address")]
pub(crate) struct Address {
    pub(crate) street: String,
    pub(crate) city: String,
    pub(crate) code: String,
    pub(crate) country: String,
}

#[derive(Debug, Clone, PartialEq, Hessian)]
#[hessian(class = "org.example.shop.Line")]
pub(crate) struct Line {
    pub(crate) product: String,
    pub(crate) title: String,
    pub(crate) quantity: i32,
    pub(crate) price: f64,
}

impl Order {
    /// One whose encoding takes a kilobyte.
    pub(crate) fn sample() -> Self {
        let line = |number: i32| Line {
            product: format!("SKU-2024-{number:06}"),
            title: format!("Stainless steel kettle, 1.7 l, model {number}"),
            quantity: number % 5 + 1,
            price: 19.99 + f64::from(number),
        };
        Order {
            id: 9_007_199_254_740_993,
            customer: "customer-0000-4711-8123".into(),
            status: "CONFIRMED".into(),
            currency: "EUR".into(),
            total: 271.94,
            paid: true,
            priority: 3,
            created: 1_712_345_678_901,
            note: Some("please leave the parcel with the neighbours".into()),
            coupon: None,
            tags: ["gift", "express", "returning-customer"].map(String::from).into(),
            address: Address {
                street: "Macquarie Street 117".into(),
                city: "Dubbo".into(),
                code: "NSW 2830".into(),
                country: "Australia".into(),
            },
            lines: (0..8).map(line).collect(),
        }
    }
}
