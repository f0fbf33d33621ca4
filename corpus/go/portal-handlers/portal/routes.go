package portal

import (
	"net/http"
)

// Portal counts what visitors do.
type Portal struct {
	logins  int
	uploads int
}

// Routes returns the portal's handlers.
func (p *Portal) Routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/login", func(w http.ResponseWriter, _ *http.Request) {
		p.logins++ //race:Portal.logins
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("/upload", func(w http.ResponseWriter, _ *http.Request) {
		p.uploads++ //race:Portal.uploads
		w.WriteHeader(http.StatusNoContent)
	})
	return logged(limited(mux))
}
