// Package codec turns values into bytes.
package codec

import "time"

// Encode returns the bytes of a text.
func Encode(text string) []byte {
	s := borrow()
	defer giveBack(s)
	s.len = copy(s.buf[:], text) //race:scratch.buf
	return s.buf[:s.len]
}

// Checksum adds bytes up, slowly.
func Checksum(data []byte, pause time.Duration) (sum int) {
	for i := range data {
		sum += int(data[i]) //race:scratch.buf
		time.Sleep(pause)
	}
	return sum
}
