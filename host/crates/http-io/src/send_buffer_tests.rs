//! Tests of the limits of the send buffer.

use svc_covers::covers;

use super::*;
use crate::http2_body::Http2Body;
use crate::limits::{H2_PIECE_BYTES, MEDIA_CHUNK_BYTES};
use salvo::http::ResBody;
use salvo::http::body::Body as _;
use std::pin::Pin;

fn context() -> Context<'static> {
    Context::from_waker(Waker::noop())
}

fn send_buffer() -> Arc<SendBuffer> {
    SendBuffer::new(Connection::default(), &Limits::default())
}

#[covers("limit H2_FILES_BYTES")]
#[tokio::test]
async fn files_are_read_in_small_pieces_while_space_is_occupied() {
    let send_buffer = send_buffer();
    let space = |stream: &Arc<Stream>| match stream.poll_buffer_space(&context(), MEDIA_CHUNK_BYTES) {
        Poll::Ready(space) => Some(space),
        Poll::Pending => None,
    };
    let greedy = Stream::new(Arc::clone(&send_buffer));
    let mut held: Vec<BufferSpace> = (0..4).filter_map(|_| space(&greedy)).collect();
    assert!(held.iter().all(|space| space.bytes == MEDIA_CHUNK_BYTES));
    // Whatever others occupy, each stream gets a small piece, and the next one when that was accepted.
    let modest = Stream::new(Arc::clone(&send_buffer));
    let small = space(&modest).unwrap();
    assert_eq!(small.bytes, H2_STREAM_BYTES);
    let chunk = modest.chunk(Bytes::from_static(b"x"), None);
    assert!(space(&modest).is_none());
    drop(chunk);
    assert_eq!(space(&modest).unwrap().bytes, H2_STREAM_BYTES);
    held.pop();
    assert_eq!(space(&modest).unwrap().bytes, MEDIA_CHUNK_BYTES);
    // Outside of a stream's task there is no limit.
    assert!(
        matches!(poll_buffer_space(&context(), MEDIA_CHUNK_BYTES), Poll::Ready(space) if !space.is_bounded)
    );
}

#[covers("limit H2_STREAM_BYTES")]
#[tokio::test]
async fn send_buffer_of_all_streams_stays_below_a_mebibyte() {
    let streams = crate::limits::H2_STREAMS as usize * H2_STREAM_BYTES;
    assert!(H2_RESPONSES_BYTES + H2_FILES_BYTES + streams < 1 << 20);
    let send_buffer = send_buffer();
    let whole = send_buffer.try_acquire(16 << 20).unwrap();
    assert!(send_buffer.try_acquire(1).is_none());
    drop(whole);
    assert!(send_buffer.try_acquire(1).is_some());
}

#[covers("limit H2_PIECE_BYTES")]
#[tokio::test]
async fn body_ends_when_its_pieces_were_accepted() {
    let send_buffer = send_buffer();
    let space = send_buffer.try_acquire(H2_RESPONSES_BYTES);
    let body = ResBody::Once(Bytes::from(vec![0; H2_PIECE_BYTES + 1]));
    let stream = Stream::new(Arc::clone(&send_buffer));
    STREAM.sync_scope(stream, || {
        let mut body = Http2Body::new(body, space, Connection::default().begin());
        let mut next = || Pin::new(&mut body).poll_frame(&mut context());
        let mut chunks = Vec::new();
        for length in [H2_PIECE_BYTES, 1] {
            let Poll::Ready(Some(Ok(frame))) = next() else {
                panic!("a piece")
            };
            let chunk = frame.into_data().unwrap();
            assert_eq!(chunk.len(), length);
            chunks.push(chunk);
        }
        assert!(next().is_pending());
        chunks.pop();
        assert!(next().is_pending() && send_buffer.try_acquire(1).is_none());
        chunks.pop();
        assert!(matches!(next(), Poll::Ready(None)));
    });
    assert!(send_buffer.try_acquire(H2_RESPONSES_BYTES).is_some());
}

#[tokio::test(start_paused = true)]
async fn stream_stalls_after_its_last_accepted_piece() {
    let send_buffer = send_buffer();
    let stream = Stream::new(Arc::clone(&send_buffer));
    let begun = Instant::now();
    let taking = Arc::clone(&stream);
    let running = async move {
        // No data waits for the client.
        tokio::time::sleep(3 * taking.send_buffer.stall).await;
        let mut chunks = vec![taking.chunk(Bytes::new(), None), taking.chunk(Bytes::new(), None)];
        tokio::time::sleep(taking.send_buffer.stall / 2).await;
        chunks.pop();
        std::future::pending::<()>().await;
    };
    until_stalled(running, Arc::clone(&stream)).await;
    assert_eq!(begun.elapsed(), send_buffer.stall * 9 / 2);
    assert!(stream.is_flushed());
}
