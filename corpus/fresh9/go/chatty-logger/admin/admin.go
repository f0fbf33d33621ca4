package admin

import (
	"net/http"

	"go.example.dev/kit/log/log"
)

var levels = map[string]log.Level{"debug": log.Debug, "info": log.Info, "warn": log.Warn}

// Handler changes the log level with PUT /level?to=debug.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lv, ok := levels[r.URL.Query().Get("to")]
		if !ok {
			http.Error(w, "unknown level", http.StatusBadRequest)
			return
		}
		log.SetLevel(lv)
	})
}
