FROM stand-in/services
COPY redis-entrypoint.sh /usr/local/bin/docker-entrypoint.sh
RUN install -d -o redis -g redis /data
ENV PATH=/usr/local/bin:/usr/bin:/bin
VOLUME /data
WORKDIR /data
ENTRYPOINT ["docker-entrypoint.sh"]
