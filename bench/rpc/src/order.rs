//! The object that is passed: the one of the Java side, field by field and value by value.

use orana_macros::Hessian;
use orana_wire::hessian::java::Date;

/// `org.example.peer.Order`
#[derive(Clone, Debug, PartialEq, Hessian)]
#[hessian(class = "org.example.peer.Order", rename_all = "camelCase")]
pub(crate) struct Order {
    pub(crate) id: i64,
    pub(crate) number: String,
    pub(crate) placed: Date,
    pub(crate) paid: bool,
    pub(crate) priority: i32,
    pub(crate) total: f64,
    pub(crate) currency: String,
    pub(crate) coupon_id: Option<i64>,
    pub(crate) note: String,
    pub(crate) customer: Customer,
    pub(crate) ship_to: Address,
    pub(crate) bill_to: Address,
    pub(crate) tags: Vec<String>,
    pub(crate) lines: Vec<Line>,
    pub(crate) history: Vec<i32>,
}

/// `org.example.peer.Order$Customer`
#[derive(Clone, Debug, PartialEq, Hessian)]
#[hessian(class = "org.example.peer.Order$Customer")]
pub(crate) struct Customer {
    id: i64,
    name: String,
    email: String,
}

/// `org.example.peer.Order$Address`
#[derive(Clone, Debug, PartialEq, Hessian)]
#[hessian(class = "org.example.peer.Order$Address")]
pub(crate) struct Address {
    street: String,
    city: String,
    zip: String,
    country: String,
}

/// `org.example.peer.Order$Line`
#[derive(Clone, Debug, PartialEq, Hessian)]
#[hessian(class = "org.example.peer.Order$Line")]
pub(crate) struct Line {
    sku: String,
    title: String,
    quantity: i32,
    price: f64,
}

impl Order {
    /// About a kilobyte on the wire.
    pub(crate) fn sample() -> Order {
        let address = |street: &str, city: &str, zip: &str, country: &str| Address {
            street: street.into(),
            city: city.into(),
            zip: zip.into(),
            country: country.into(),
        };
        let line = |number: i32| Line {
            sku: format!("SKU-00{number}-4711"),
            title: format!("An article of the catalogue, number {number}"),
            quantity: number + 1,
            price: 19.99 + f64::from(number),
        };
        Order {
            id: 9_007_199_254,
            number: "2024-000815".into(),
            placed: Date(1_709_164_800_123),
            paid: true,
            priority: 3,
            total: 1_284.5,
            currency: "EUR".into(),
            coupon_id: None,
            note: "Ring twice, then leave it with the neighbour on the second floor. \
                   Call the number on the label if nobody is there."
                .into(),
            customer: Customer {
                id: 815_471_100,
                name: "Ada Lovelace".into(),
                email: "ada.lovelace@example.org".into(),
            },
            ship_to: address("12 St James's Square", "London", "SW1Y 4JH", "United Kingdom"),
            bill_to: address("Rue de la Republique 7", "Lyon", "69001", "France"),
            tags: ["express", "gift", "fragile"].map(String::from).into(),
            lines: (0..6).map(line).collect(),
            history: vec![10, 20, 30, 40_000, 50_000],
        }
    }
}
