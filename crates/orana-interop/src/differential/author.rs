//! Writes an episode: some connections, then what comes to mind, and now and then what the coverage lacks.

use orana_wire::zookeeper::{
    OpCode, Path, Request,
    request::{Auth, Create},
};

use super::{
    coverage::Goal,
    dice::Dice,
    phrases::{self, plain},
    recipes,
    script::{Ask, How, SLOTS, Step, What},
    vocabulary::{self as words, WatchSort},
};

/// The longest time-out that servers with a tick of one second grant.
const LONG: i32 = 20_000;
/// Asks for the shortest.
const SHORT: i32 = 1;
/// Sessions end by themselves in one episode of so many; waiting for it takes seconds.
const EXPIRY: u64 = 6;
/// Things that happen in an episode.
const BEATS: usize = 40;

/// Writes one episode.
#[derive(Debug)]
pub struct Author {
    /// The source of everything.
    pub dice: Dice,
    steps: Vec<Step>,
    xids: [i32; SLOTS],
    sessions: usize,
    held: [Option<usize>; SLOTS],
    fresh: usize,
}

/// The episode of this seed, written when these goals were lacking.
pub fn episode(seed: u64, lacking: &[Goal]) -> Vec<Step> {
    let mut author = Author {
        dice: Dice::new(seed),
        steps: Vec::new(),
        xids: [0; SLOTS],
        sessions: 0,
        held: [None; SLOTS],
        fresh: 0,
    };
    author.opening();
    for beat in 0..BEATS {
        if seed.is_multiple_of(EXPIRY) && beat == BEATS / 2 {
            author.expire();
        }
        if !lacking.is_empty() && author.dice.chance(50) {
            let goal = author.dice.pick(lacking);
            recipes::pursue(&mut author, &goal);
        } else {
            author.beat();
        }
    }
    author.steps
}

impl Author {
    fn opening(&mut self) {
        for slot in 0..SLOTS {
            let timeout = if slot == SLOTS - 1 { SHORT } else { LONG };
            self.open(slot, timeout);
        }
        self.authenticate(1, "digest", b"bob:secret");
        self.authenticate(2, "digest", b"alice:other");
        self.authenticate(2, "digest", b"bob:secret");
        if self.dice.chance(25) {
            self.authenticate(3, "digest", b"super:test");
        }
        for name in ["/a", "/b", "/a/x"] {
            let acl = words::good_acl(&mut self.dice);
            let acl = if self.dice.chance(70) { words::open() } else { acl };
            self.one(1, Request::Create(plain(words::below(name), acl)));
        }
    }

    fn beat(&mut self) {
        let slot = self.slot();
        match self.dice.below(100) {
            0..45 => {
                let ask = self.anything(slot);
                self.push(slot, vec![ask]);
            }
            45..75 => {
                let count = 2 + self.dice.below(11);
                let asks: Vec<Ask> = (0..count).map(|_| self.anything(slot)).collect();
                self.together(slot, asks);
            }
            75..85 => self.come_back(slot),
            85..88 => self.move_session(slot),
            88..91 => self.refused(slot),
            91..94 => self.leave(slot),
            94..96 => self.odd_frame(slot),
            96..98 => self.more_identities(slot),
            _ => self.one(slot, Request::Sasl(Some(b"token"))),
        }
    }

    // ----- connections ------------------------------------------------------------------------------------------------

    /// Any slot.
    pub fn slot(&mut self) -> usize {
        self.dice.below(SLOTS)
    }

    /// Opens a new session in a slot.
    pub fn open(&mut self, slot: usize, timeout_ms: i32) {
        let session = self.sessions;
        self.sessions += 1;
        let read_only = self.dice.pick(&[Some(false), Some(false), Some(true), None]);
        self.held[slot] = Some(session);
        self.steps.push(Step::Open {
            slot,
            how: How::New {
                session,
                timeout_ms,
                read_only,
            },
        });
    }

    fn resume(&mut self, slot: usize, session: usize, password: bool, ahead: bool) {
        // The session of the last slot is the one that may expire; its time-out stays short.
        let timeout_ms = if slot == SLOTS - 1 {
            SHORT
        } else {
            self.dice.pick(&[LONG, LONG, 15_000])
        };
        self.steps.push(Step::Open {
            slot,
            how: How::Resume {
                session,
                password,
                ahead,
                timeout_ms,
            },
        });
    }

    /// Hangs up, perhaps misses something, resumes and sets watches again.
    pub fn come_back(&mut self, slot: usize) {
        let Some(session) = self.held[slot] else {
            return self.open(slot, LONG);
        };
        self.steps.push(Step::HangUp { slot });
        for _ in 0..self.dice.below(3) {
            let other = (slot + 1 + self.dice.below(SLOTS - 1)) % SLOTS;
            let ask = self.anything(other);
            self.push(other, vec![ask]);
        }
        self.resume(slot, session, true, false);
        let again = phrases::watches_again(&mut self.dice, slot);
        self.one(slot, again);
    }

    fn move_session(&mut self, from: usize) {
        let to = (from + 1) % SLOTS;
        // Neither end may be the slot whose session is short-lived.
        if from == SLOTS - 1 || to == SLOTS - 1 {
            return;
        }
        if let (Some(moved), Some(left)) = (self.held[from], self.held[to]) {
            self.resume(to, moved, true, false);
            self.held[to] = Some(moved);
            self.resume(from, left, true, false);
            self.held[from] = Some(left);
        }
    }

    fn refused(&mut self, slot: usize) {
        let Some(session) = self.held[slot] else { return };
        let (password, ahead) = self.dice.pick(&[(false, false), (true, true), (false, true)]);
        self.steps.push(Step::HangUp { slot });
        self.resume(slot, session, password, ahead);
        self.resume(slot, session, true, false);
    }

    /// Closes a session, perhaps tries to resume it, and opens another.
    pub fn leave(&mut self, slot: usize) {
        let Some(session) = self.held[slot] else { return };
        let mut asks: Vec<Ask> = (0..self.dice.below(3)).map(|_| self.anything(slot)).collect();
        asks.push(self.numbered(slot, Request::CloseSession));
        self.together(slot, asks);
        if self.dice.chance(50) {
            self.resume(slot, session, true, false);
        }
        self.open(slot, if slot == SLOTS - 1 { SHORT } else { LONG });
    }

    /// Lets the short-lived session end by itself.
    pub fn expire(&mut self) {
        let slot = SLOTS - 1;
        let Some(session) = self.held[slot] else { return };
        let place = self.fresh();
        let create = Create {
            flags: 1,
            ..plain(place, words::open())
        };
        self.one(slot, Request::Create(create));
        self.steps.push(Step::Expire { slot });
        if self.dice.chance(50) {
            self.resume(slot, session, true, false);
        }
        self.open(slot, SHORT);
    }

    /// Sends what ends the connection and resumes the session.
    pub fn odd_frame(&mut self, slot: usize) {
        let what = match self.dice.below(8) {
            0 => What::Bytes(b"\xff\xff\xff\xff"),
            1 => What::Bytes(b"\0\0\0\0"),
            2 => What::Bytes(b"\0\0\0\x04\0\0\0\x01"),
            3 => What::Bytes(b"\0\x10\0\0\0\0\0\x01\0\0\0\x0b"),
            4 => What::Bytes(b"ruok"),
            _ => What::Number(self.dice.pick(&[0, 10, 99, 108, 1000, -1, -9]), b"\0\0\0\x01/"),
        };
        self.ending(slot, what);
    }

    /// Sends something after which the server closes, and resumes the session.
    pub fn ending(&mut self, slot: usize, what: What) {
        let xid = self.next_xid(slot);
        self.push(slot, vec![Ask { xid, what }]);
        if let Some(session) = self.held[slot] {
            self.resume(slot, session, true, false);
        }
    }

    /// Authenticates once more, or in vain.
    pub fn more_identities(&mut self, slot: usize) {
        match self.dice.below(6) {
            0 => self.authenticate(slot, "ip", b""),
            1 => self.authenticate(slot, "digest", b"without a colon"),
            2 => self.authenticate(slot, "digest", b""),
            3 => self.ending(slot, What::Whole(auth("unknown", b"proof"))),
            _ => self.authenticate(slot, "digest", b"bob:secret"),
        }
    }

    fn authenticate(&mut self, slot: usize, scheme: &'static str, proof: &'static [u8]) {
        let xid = if self.dice.chance(70) { -4 } else { self.next_xid(slot) };
        self.push(slot, vec![Ask::whole(xid, auth(scheme, proof))]);
    }

    // ----- requests ---------------------------------------------------------------------------------------------------

    /// Sends a request alone.
    pub fn one(&mut self, slot: usize, request: Request<'static>) {
        let ask = self.numbered(slot, request);
        self.push(slot, vec![ask]);
    }

    /// Sends requests, together or one by one.
    pub fn several(&mut self, slot: usize, requests: Vec<Request<'static>>) {
        let asks: Vec<Ask> = requests
            .into_iter()
            .map(|request| self.numbered(slot, request))
            .collect();
        if self.dice.chance(30) {
            self.together(slot, asks);
        } else {
            asks.into_iter().for_each(|ask| self.push(slot, vec![ask]));
        }
    }

    /// Sends requests in one write, except those that may not be sent so.
    fn together(&mut self, slot: usize, asks: Vec<Ask>) {
        let alone = |ask: &Ask| ask.op() == Some(OpCode::SetAcl);
        let mut asks = asks.into_iter().peekable();
        while let Some(ask) = asks.next() {
            let mut burst = vec![ask];
            while !alone(&burst[0])
                && let Some(ask) = asks.next_if(|ask| !alone(ask))
            {
                burst.push(ask);
            }
            self.push(slot, burst);
        }
    }

    /// Appends a step that asks.
    pub fn push(&mut self, slot: usize, asks: Vec<Ask>) {
        self.steps.push(Step::Ask { slot, asks });
    }

    /// A request under the number that a client would give it.
    pub fn numbered(&mut self, slot: usize, request: Request<'static>) -> Ask {
        let xid = match request {
            Request::Ping => self.dice.pick(&[-2, 5]),
            Request::SetWatches(_) | Request::SetWatches2(_) if self.dice.chance(50) => -8,
            _ if self.dice.chance(1) => 0,
            _ => self.next_xid(slot),
        };
        Ask::whole(xid, request)
    }

    fn next_xid(&mut self, slot: usize) -> i32 {
        self.xids[slot] += 1;
        self.xids[slot]
    }

    /// A path that was not used before.
    pub fn fresh(&mut self) -> Path<'static> {
        self.fresh += 1;
        words::below(&format!("/n{}", self.fresh))
    }

    /// A path that was not used before, of this sort of watch for this connection.
    pub fn fresh_for(&mut self, slot: usize, sort: WatchSort) -> Path<'static> {
        loop {
            let path = self.fresh();
            if WatchSort::of(slot, &path) == sort {
                return path;
            }
        }
    }

    fn anything(&mut self, slot: usize) -> Ask {
        let fresh = self.fresh();
        let request = phrases::anything(&mut self.dice, slot, fresh);
        let mut ask = self.numbered(slot, request.clone());
        match self.dice.below(60) {
            0 => ask.what = What::Cut(request, 1 + self.dice.below(6)),
            1 => ask.what = What::Long(request),
            _ => {}
        }
        ask
    }
}

fn auth(scheme: &'static str, proof: &'static [u8]) -> Request<'static> {
    Request::Auth(Auth {
        kind: 0,
        scheme: Some(scheme.into()),
        auth: Some(proof),
    })
}
