//! A `static mut` that two threads count up.
use std::thread;

static mut SERVED: u64 = 0;

mod server {
    pub struct Worker {
        pub id: u32,
    }

    impl Worker {
        #[inline(never)]
        pub fn serve(&self) {
            unsafe { super::SERVED += u64::from(self.id) }
        }
    }
}

fn start(id: u32) -> thread::JoinHandle<()> {
    let builder = thread::Builder::new().name(format!("worker-{id}"));
    builder.spawn(move || server::Worker { id }.serve()).unwrap()
}

fn main() {
    let first = start(1);
    let second = start(2);
    first.join().unwrap();
    second.join().unwrap();
}
