//! A ring that claims to be `Sync` and is not: a generic type, a trait, two instantiations, two races.
use std::cell::UnsafeCell;
use std::thread;

trait Queue<T> {
    fn push(&self, value: T);
    fn last(&self) -> T;
}

struct Ring<T> {
    slot: UnsafeCell<T>,
}

unsafe impl<T> Sync for Ring<T> {}

impl<T: Copy> Queue<T> for Ring<T> {
    #[inline(never)]
    fn push(&self, value: T) {
        unsafe { *self.slot.get() = value }
    }

    #[inline(never)]
    fn last(&self) -> T {
        unsafe { *self.slot.get() }
    }
}

struct Feed {
    ids: Ring<u32>,
    prices: Ring<f64>,
}

fn main() {
    let feed: &'static Feed = Box::leak(Box::new(Feed {
        ids: Ring { slot: UnsafeCell::new(1) },
        prices: Ring { slot: UnsafeCell::new(0.5) },
    }));
    let writer = thread::spawn(move || {
        feed.ids.push(7);
        feed.prices.push(9.25);
    });
    let reader = thread::spawn(move || f64::from(feed.ids.last()) + feed.prices.last());
    writer.join().unwrap();
    reader.join().unwrap();
}
