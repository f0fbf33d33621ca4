package relay

import (
	"bufio"
	"net"
	"strings"
	"testing"
	"time"
)

func TestGreets(t *testing.T) {
	s, err := Start("mx.example.com")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "220") {
		t.Fatal(line, err)
	}
	conn.Close()
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(10 * time.Millisecond)
}
