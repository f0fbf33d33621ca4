package mailer

import (
	"testing"
	"time"
)

type loggingTransport struct {
	t *testing.T
}

func (l loggingTransport) Deliver(m Message) error {
	l.t.Logf("deliver %q to %s", m.Subject, m.To) //race:testing.T
	return nil
}

func TestSendReturnsAtOnce(t *testing.T) {
	for _, to := range []string{"ops@shop.test", "dev@shop.test"} {
		t.Run(to, func(t *testing.T) {
			m := New(loggingTransport{t}, 0)
			m.Send(to, "hello")
			time.Sleep(5 * time.Millisecond)
		})
	}
	slow := New(loggingTransport{t}, 8*time.Millisecond)
	start := time.Now()
	slow.Send("all@shop.test", "digest")
	if took := time.Since(start); took > time.Second {
		t.Errorf("Send took %s", took)
	}
}

func TestQueueIsEmptyAtStart(t *testing.T) {
	time.Sleep(20 * time.Millisecond)
	if m := New(nil, 0); m.tr != nil {
		t.Error("a transport out of nowhere")
	}
}
