//! Answers about media that were given before, kept in memory while all that they are made of is unchanged: a home page
//! or a grid of covers is asked for again and again.

use std::borrow::Cow;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use bytes::Bytes;
use data_encoding::HEXLOWER;
use quick_cache::sync::Cache;
use quick_cache::{Equivalent, Weighter};
use salvo::http::uri::PathAndQuery;
use salvo::http::{HeaderMap, ResBody, StatusCode};
use salvo::{Request, Response};

use svc_http_io::limits::{KEPT_ANSWER_BYTES, KEPT_ANSWERS_BYTES};
use svc_library::media_state::MediaState;

/// A guess at what headers, key and the places of an entry take beside the body.
const ENTRY_BYTES: u64 = 1024;

/// Answers of the size of a page that fit. The cache is divided into parts for 32 of them each, which leaves the largest
/// answer room in its part.
const TYPICAL_ANSWERS: usize = 256;

/// Who asks for what, and the state of all that the answer is made of. Equal questions have equal answers.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Question<'a> {
    state: MediaState,
    target: Cow<'a, str>,
}

/// The same, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct KeptQuestion {
    state: MediaState,
    target: Box<str>,
}

impl Equivalent<KeptQuestion> for Question<'_> {
    fn equivalent(&self, kept: &KeptQuestion) -> bool {
        self.state == kept.state && *self.target == *kept.target
    }
}

/// An answer with status 200.
#[derive(Debug)]
struct Kept {
    headers: HeaderMap,
    body: Bytes,
}

#[derive(Debug, Clone)]
struct ByBytes;

impl Weighter<KeptQuestion, Arc<Kept>> for ByBytes {
    fn weight(&self, question: &KeptQuestion, answer: &Arc<Kept>) -> u64 {
        ENTRY_BYTES + (question.target.len() + answer.body.len()) as u64
    }
}

/// Put by a handler beside an answer that may be given again to the same question.
#[derive(Debug, Clone, Copy)]
pub(super) struct MayBeKept;

/// The answers that are kept, and what their entity tags are made with.
#[derive(Debug)]
pub struct AnswerMemory {
    tags: RandomState,
    kept: Cache<KeptQuestion, Arc<Kept>, ByBytes>,
}

impl Default for AnswerMemory {
    fn default() -> Self {
        Self {
            tags: RandomState::new(),
            kept: Cache::with_weighter(TYPICAL_ANSWERS, KEPT_ANSWERS_BYTES, ByBytes),
        }
    }
}

impl<'a> Question<'a> {
    /// What this request asks for, in this state.
    pub(super) fn new(state: MediaState, req: &'a Request) -> Self {
        let target = req.uri().path_and_query().map_or("", PathAndQuery::as_str);
        Self {
            state,
            target: without_token(target),
        }
    }

    /// The same without what it borrows from the request.
    pub(super) fn to_keep(&self) -> KeptQuestion {
        KeptQuestion {
            state: self.state,
            target: self.target.as_ref().into(),
        }
    }
}

/// The target of a request as it was written, without the token in it.
fn without_token(target: &str) -> Cow<'_, str> {
    match target.split_once('?') {
        Some((path, query)) if query.contains("token=") => {
            let others = query.split('&').filter(|part| !part.starts_with("token="));
            Cow::Owned(format!("{path}?{}", others.collect::<Vec<_>>().join("&")))
        }
        _ => Cow::Borrowed(target),
    }
}

impl AnswerMemory {
    /// The entity tag of the answer; holds for this start of the server.
    pub(super) fn tag(&self, question: &Question<'_>) -> String {
        let hash = HEXLOWER.encode(&self.tags.hash_one(question).to_be_bytes());
        ["W/\"", &hash, "\""].concat()
    }

    /// Answers as before, if the question was answered before.
    pub(super) fn answer(&self, question: &Question<'_>, res: &mut Response) -> bool {
        let Some(kept) = self.kept.get(question) else {
            return false;
        };
        res.status_code(StatusCode::OK);
        res.headers_mut().extend(
            kept.headers
                .iter()
                .map(|(name, value)| (name.clone(), value.clone())),
        );
        res.replace_body(ResBody::Once(kept.body.clone()));
        true
    }

    /// Keeps the answer to this question, if it is a whole one and not too large.
    pub(super) fn keep(&self, question: KeptQuestion, res: &Response) {
        let ResBody::Once(body) = &res.body else { return };
        if res.status_code != Some(StatusCode::OK) || body.len() > KEPT_ANSWER_BYTES {
            return;
        }
        let answer = Kept {
            headers: res.headers().clone(),
            body: body.clone(),
        };
        self.kept.insert(question, Arc::new(answer));
    }

    /// Forgets all that is kept.
    pub(super) fn clear(&self) {
        self.kept.clear();
    }

    /// How many are kept.
    pub fn len(&self) -> usize {
        self.kept.len()
    }
}

#[cfg(test)]
mod tests {
    use svc_domain::id::UserId;
    use svc_identity::capability::CapabilitySet;

    use super::*;

    #[test]
    fn what_is_kept_is_bounded_one_by_one_and_in_all() {
        let memory = AnswerMemory::default();
        let question = |number| KeptQuestion {
            state: MediaState {
                user: UserId::from(1),
                capabilities: CapabilitySet::default(),
                identity: 1,
                media: number,
                personal: 0,
            },
            target: "/a".into(),
        };
        let response = |length| {
            let mut res = Response::new();
            res.status_code(StatusCode::OK);
            res.replace_body(ResBody::Once(vec![0; length].into()));
            res
        };
        memory.keep(question(0), &response(KEPT_ANSWER_BYTES + 1));
        assert_eq!(memory.len(), 0);
        for number in 0..300 {
            memory.keep(question(number), &response(KEPT_ANSWER_BYTES));
        }
        assert!(memory.len() > 16, "{}", memory.len());
        assert!(memory.kept.weight() <= KEPT_ANSWERS_BYTES);
    }

    #[test]
    fn token_is_no_part_of_what_is_asked_for() {
        for (target, expected) in [
            ("/a", "/a"),
            ("/a?b=1&c=2", "/a?b=1&c=2"),
            ("/a?token=x", "/a?"),
            ("/a?b=1&token=x&c=2", "/a?b=1&c=2"),
            ("/a?b=token=1", "/a?b=token=1"),
        ] {
            assert_eq!(without_token(target), expected, "{target}");
        }
    }
}
