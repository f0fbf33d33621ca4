package backup

import "testing"

type blackHole struct{}

func (blackHole) Put(string, []byte) error { return nil }

func TestUpload(t *testing.T) {
	u := &Uploader{Bucket: blackHole{}, PartSize: 16, Concurrency: 2}
	m, err := u.Upload("etc", make([]byte, 200))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes in the manifest", m.Size())
}
