package transport

import (
	"sync"
	"testing"
)

func TestRoundTrip(t *testing.T) {
	f := NewFrame("Ping", []byte("hi"))
	got, err := Decode(f.Encode())
	if err != nil || got.Method != "Ping" || got.Serial != f.Serial {
		t.Fatal(got, err)
	}
}

func TestManyCallers(t *testing.T) {
	var wg sync.WaitGroup
	for c := 0; c < 4; c++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < 10; i++ {
				if _, err := Decode(NewFrame("Echo", nil).Encode()); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
}
