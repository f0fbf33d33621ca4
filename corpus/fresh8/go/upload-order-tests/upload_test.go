package upload

import (
	"testing"
	"time"
)

func TestSend(t *testing.T) {
	u := Uploader{Prefix: "img", Types: []string{".png", ".jpg"}}
	var keys []string
	for _, name := range []string{"A.png", "b.JPG", "c.png"} {
		name := name
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := u.Send(name, func(key string) {
				keys = append(keys, key) //race:keys
			})
			if err != nil {
				t.Error(err)
			}
			time.Sleep(time.Millisecond)
		})
	}
}
