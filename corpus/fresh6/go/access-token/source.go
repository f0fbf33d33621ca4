package main

import (
	"errors"
	"fmt"
	"time"
)

type grant struct {
	access  string
	seconds int
}

type issuer interface {
	Refresh(refresh string) (grant, error)
}

type tokenSource struct {
	iss     issuer
	refresh string
	access  string
	expires int64
}

func newTokenSource(iss issuer, refresh string) *tokenSource {
	return &tokenSource{iss: iss, refresh: refresh}
}

func (s *tokenSource) renew() error {
	g, err := s.iss.Refresh(s.refresh)
	if err != nil {
		return fmt.Errorf("token: %w", err)
	}
	s.access = g.access                                                           //race:tokenSource.access
	s.expires = time.Now().Add(time.Duration(g.seconds) * time.Second).UnixNano() //race:tokenSource.expires
	return nil
}

// header is what a call sends.
func (s *tokenSource) header() (string, error) {
	if time.Now().UnixNano() > s.expires { //race:tokenSource.expires
		return "", errors.New("token expired")
	}
	return "Bearer " + s.access, nil //race:tokenSource.access
}

func (s *tokenSource) keepFresh(every time.Duration, stop <-chan struct{}) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-stop:
			return
		case <-t.C:
			if err := s.renew(); err != nil {
				fmt.Println(err)
			}
		}
	}
}
