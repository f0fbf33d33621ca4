package wire

import (
	"fmt"
	"strings"
	"time"
)

// Telegram is short.
type Telegram struct {
	To   string
	Text string
}

// Transmit sends a telegram word by word.
func Transmit(k *Key, t Telegram, hand time.Duration) error {
	for _, word := range append([]string{t.To}, strings.Fields(t.Text)...) {
		if err := k.Send(word); err != nil {
			return fmt.Errorf("wire: to %s: %w", t.To, err)
		}
		time.Sleep(hand)
	}
	return nil
}
