package admin

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"go.example.dev/kit/log/log"
)

func TestChangeLevelUnderLoad(t *testing.T) {
	logger := log.New(io.Discard)
	stop := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				logger.Debugf("request %d", i)
				logger.Infof("served %d", i)
				time.Sleep(100 * time.Microsecond)
			}
		}
	}()
	for _, to := range []string{"debug", "warn", "info"} {
		rec := httptest.NewRecorder()
		Handler().ServeHTTP(rec, httptest.NewRequest(http.MethodPut, "/level?to="+to, nil))
		if rec.Code != http.StatusOK {
			t.Errorf("%s: %d", to, rec.Code)
		}
		time.Sleep(2 * time.Millisecond)
	}
	close(stop)
	<-stopped
}
