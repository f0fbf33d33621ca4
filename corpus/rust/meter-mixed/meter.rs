//! A leaked box: atomic on one side, plain through a pointer on the other.
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

struct Meter {
    hits: AtomicU64,
}

#[inline(never)]
fn record(meter: &Meter) {
    meter.hits.fetch_add(1, Ordering::Relaxed);
}

#[inline(never)]
fn reset(meter: &Meter) {
    unsafe { *meter.hits.as_ptr() = 0 }
}

fn main() {
    let meter: &'static Meter = Box::leak(Box::new(Meter { hits: AtomicU64::new(0) }));
    let recorder = thread::spawn(move || record(meter));
    let resetter = thread::spawn(move || reset(meter));
    recorder.join().unwrap();
    resetter.join().unwrap();
}
