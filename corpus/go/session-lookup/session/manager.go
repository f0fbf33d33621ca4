// Package session keeps the open sessions of a server.
package session

import "sync"

// Session is one client's state.
type Session struct {
	ID   string
	User string
}

// Manager knows every open session.
type Manager struct {
	mu       sync.Mutex
	sessions map[string]*Session
}

// NewManager returns a Manager without sessions.
func NewManager() *Manager {
	return &Manager{sessions: map[string]*Session{}}
}

// Open starts a session for a user.
func (m *Manager) Open(id, user string) *Session {
	s := &Session{ID: id, User: user}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sessions[id] = s //race:Manager.sessions
	return s
}

// Lookup finds a session by its id.
func (m *Manager) Lookup(id string) (*Session, bool) {
	s, ok := m.sessions[id] //race:Manager.sessions
	return s, ok
}
