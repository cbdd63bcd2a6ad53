module github.com/acme/partner-portal

go 1.22

require github.com/acme/go-kit v1.1.0
