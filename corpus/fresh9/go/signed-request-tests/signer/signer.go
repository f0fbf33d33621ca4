package signer

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
)

// Signer adds a signature to requests.
type Signer struct {
	KeyID  string
	Secret []byte
}

// Sign sets the headers of a signed request.
func (s Signer) Sign(r *http.Request, body []byte) {
	mac := hmac.New(sha256.New, s.Secret)
	mac.Write([]byte(r.Method))
	mac.Write([]byte(r.URL.Path))
	mac.Write(body)
	r.Header.Set("X-Key-Id", s.KeyID)                             //race:req.Header[]
	r.Header.Set("X-Signature", hex.EncodeToString(mac.Sum(nil))) //race:req.Header[]
}

// Verify checks the signature of a request.
func (s Signer) Verify(r *http.Request, body []byte) bool {
	want, err := hex.DecodeString(r.Header.Get("X-Signature")) //race:req.Header[]
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, s.Secret)
	mac.Write([]byte(r.Method))
	mac.Write([]byte(r.URL.Path))
	mac.Write(body)
	return hmac.Equal(want, mac.Sum(nil))
}
