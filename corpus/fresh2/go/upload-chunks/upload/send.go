package upload

import "time"

const chunk = 4

// Send sends a file and returns how many bytes the store has.
func Send(store Store, data []byte, tick time.Duration) (int64, error) {
	l := &limiter{tick: tick, done: make(chan error, 16)}
	started := 0
	var bytes int64
	for part, offset := 0, int64(0); offset < int64(len(data)); part, offset = part+1, offset+chunk { //race:Send.part,Send.offset
		l.start(func() error {
			time.Sleep(tick / 2)  // wait for the signature
			end := offset + chunk //race:Send.offset
			number := part        //race:Send.part
			if end > int64(len(data)) {
				end = int64(len(data))
			}
			bytes += chunk //race:Send.bytes
			return store.Put(number, end, data[:end])
		})
		started++
	}
	err := l.finish(started)
	return bytes, err
}
