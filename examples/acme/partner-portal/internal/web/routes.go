// Package web is what partners see.
package web

import (
	"log/slog"
	"net/http"

	"github.com/acme/go-kit/httpx"
	"github.com/acme/partner-portal/internal/session"
)

// Portal answers the requests of partners.
type Portal struct {
	Partners session.Partners
}

// Handler returns the routes behind the middleware that all our Go services have.
func (p *Portal) Handler(logger *slog.Logger) http.Handler {
	routes := http.NewServeMux()
	routes.HandleFunc("POST /login", p.postLogin)
	routes.HandleFunc("GET /invitations/{code}", p.openInvitation)
	return httpx.Chain(routes, httpx.Recover(logger), httpx.RequestID, httpx.AccessLog(logger))
}

func (p *Portal) postLogin(w http.ResponseWriter, r *http.Request) {
	cookie, err := session.HandleLogin(r.Context(), p.Partners, r.FormValue("code"))
	if err != nil {
		http.Error(w, "please check your partner code", http.StatusUnauthorized)
		return
	}
	enter(w, r, cookie)
}

// openInvitation is the link in the first letter to a new partner: the code is already in it.
func (p *Portal) openInvitation(w http.ResponseWriter, r *http.Request) {
	cookie, err := session.HandleLogin(r.Context(), p.Partners, r.PathValue("code"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	enter(w, r, cookie)
}

func enter(w http.ResponseWriter, r *http.Request, cookie string) {
	http.SetCookie(w, &http.Cookie{Name: "partner", Value: cookie, HttpOnly: true, Secure: true})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
