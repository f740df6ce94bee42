# svc in a container. Base images are arguments, so that a mirror or a private registry can take their place.
ARG BUILD_IMAGE=docker.io/library/rust:1.95-bookworm
ARG RUN_IMAGE=gcr.io/distroless/cc-debian12:nonroot

FROM ${BUILD_IMAGE} AS build
WORKDIR /src
COPY . .
RUN cargo xtask build && mkdir -p /out/data && cp target/release/svc target/release/svc.debug /out/

FROM ${RUN_IMAGE}
COPY --from=build /out/svc /usr/local/bin/svc
# The symbols beside the program, for readable backtraces.
COPY --from=build /out/svc.debug /usr/local/bin/svc.debug
# 65532 is the user of distroless' nonroot images; the volume must be writable for whoever runs the container.
COPY --from=build --chown=65532:65532 /out/data /data
ENV SVC_DATA_DIR=/data SVC_LISTEN=0.0.0.0:8420 SVC_LOG_FORMAT=json
USER 65532:65532
VOLUME /data
EXPOSE 8420
ENTRYPOINT ["/usr/local/bin/svc"]
CMD ["serve"]
