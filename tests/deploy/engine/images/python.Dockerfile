FROM stand-in/python
COPY ca-certificates.crt /etc/ssl/certs/
ENV PATH=/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin
