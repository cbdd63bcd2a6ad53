FROM stand-in/services
COPY postgres-entrypoint.sh /usr/local/bin/docker-entrypoint.sh
RUN rm -rf /var/lib/postgresql/17 \
    && install -d -o postgres -g postgres -m 1777 /var/lib/postgresql/data \
    && install -d -o postgres -g postgres -m 3777 /run/postgresql
ENV PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/usr/lib/postgresql/17/bin LANG=C.UTF-8
VOLUME /var/lib/postgresql/data
STOPSIGNAL SIGINT
ENTRYPOINT ["docker-entrypoint.sh"]
