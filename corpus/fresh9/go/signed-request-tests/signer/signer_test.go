package signer

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestSignAndVerify(t *testing.T) {
	req := httptest.NewRequest(http.MethodPut, "/v1/objects/7", nil)

	for name, body := range map[string]string{
		"empty": "",
		"small": "{}",
		"large": `{"name":"object","labels":["a","b","c"]}`,
	} {
		body := []byte(body)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := Signer{KeyID: "k-" + name, Secret: []byte("secret")}
			time.Sleep(2 * time.Millisecond)
			s.Sign(req, body)
			if req.Header.Get("X-Signature") == "" { //race:req.Header[]
				t.Error("not signed")
			}
		})
	}
}
