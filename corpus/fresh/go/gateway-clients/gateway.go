// Package gateway answers requests from what several services know.
package gateway

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// Client talks to one service.
type Client struct {
	base string
	http *http.Client
}

func newClient(base string) *Client {
	return &Client{base: strings.TrimRight(base, "/"), http: &http.Client{Timeout: time.Second}} //race:Client.base
}

// Path is where the client finds a thing.
func (c *Client) Path(kind, id string) string {
	return c.base + "/" + kind + "/" + id //race:Client.base
}

// Gateway is the handler of the API.
type Gateway struct {
	userBase  string
	orderBase string
	users     *Client
	orders    *Client
}

// New returns a gateway in front of two services.
func New(userBase, orderBase string) *Gateway {
	return &Gateway{userBase: userBase, orderBase: orderBase}
}

func (g *Gateway) userClient() *Client {
	if g.users == nil { //race:Gateway.users
		g.users = newClient(g.userBase) //race:Gateway.users
	}
	return g.users //race:Gateway.users
}

func (g *Gateway) orderClient() *Client {
	if g.orders == nil { //race:Gateway.orders
		g.orders = newClient(g.orderBase) //race:Gateway.orders
	}
	return g.orders //race:Gateway.orders
}

// ServeHTTP answers `/users/ID` and `/orders/ID`.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	kind, id, ok := strings.Cut(strings.Trim(r.URL.Path, "/"), "/")
	if !ok {
		http.NotFound(w, r)
		return
	}
	var upstream string
	switch kind {
	case "users":
		upstream = g.userClient().Path(kind, id)
	case "orders":
		upstream = g.orderClient().Path(kind, id)
	default:
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]string{"upstream": upstream})
}
