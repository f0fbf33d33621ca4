package rib

import (
	"net/netip"
	"testing"
	"time"
)

func TestDumpWhileLearning(t *testing.T) {
	table := NewTable()
	via := netip.MustParseAddr("192.0.2.1")
	go func() {
		for i := byte(0); i < 12; i++ {
			p := netip.PrefixFrom(netip.AddrFrom4([4]byte{10, i, 0, 0}), 16)
			table.Learn(p, via, int(i))
			if i%4 == 3 {
				table.Withdraw(p)
			}
			time.Sleep(time.Millisecond)
		}
		time.Sleep(10 * time.Millisecond)
	}()
	time.Sleep(5 * time.Millisecond)
	if len(table.Dump()) > 12 {
		t.Error("too many routes")
	}
	time.Sleep(10 * time.Millisecond)
}
