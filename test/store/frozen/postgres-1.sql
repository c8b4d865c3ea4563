CREATE TABLE activation_tokens (
    hash text NOT NULL COLLATE pg_catalog."C",
    organization text NOT NULL COLLATE pg_catalog."C",
    description text,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    reissues text COLLATE pg_catalog."C",
    redemption json
);
CREATE TABLE api_keys (
    id text NOT NULL COLLATE pg_catalog."C",
    organization text NOT NULL COLLATE pg_catalog."C",
    hash text NOT NULL COLLATE pg_catalog."C",
    access text NOT NULL,
    description text,
    created_at bigint NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    revocation_reason text,
    last_used_at bigint
);
CREATE TABLE connectors (
    id text NOT NULL COLLATE pg_catalog."C",
    organization text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    key_hash text NOT NULL,
    activated_at bigint NOT NULL,
    last_heartbeat_at bigint,
    revoked_at bigint,
    revocation_reason text,
    ended_key_hash text,
    reissue_hash text,
    senders json
)
WITH (fillfactor='70');
CREATE TABLE store_info (
    id integer NOT NULL,
    version integer NOT NULL,
    server_secret text NOT NULL,
    checked_at bigint,
    CONSTRAINT store_info_id_check CHECK ((id = 1))
);
INSERT INTO activation_tokens VALUES ('EYXGxF-J5nZzdYAAzvc7mvdYxB7evoYYUwisSIXNLpA', 'default', 'of oldest', 1795132800000, 1795133700000, NULL, '{"at":1795132800000,"attemptId":"con_01M7V41F00GGGGGGGGGGGGGGGM","idempotencyHash":"80fQHnlLcivd686cSKO2PjHJ3lRJzbe4WFoQQfC14aE"}');
INSERT INTO activation_tokens VALUES ('VaFmO9SjAFRU_bjGMcQPwhl8VQal28ZxJccOtn6fsL8', 'default', 'of revoked', 1795132800000, 1795133700000, NULL, '{"at":1795132800000,"attemptId":"con_01M7V41F00GGGGGGGGGGGGGGGN","idempotencyHash":"LPfr6CPXgaS18veR7WRUQKlMOWoRTUIATLPNqoaukQI"}');
INSERT INTO activation_tokens VALUES ('DQK5WSjQ-1_X8qu9cPiwKCwmrfQsTe8rsAeTSrsHBjc', 'default', 'of old-disk', 1795132800000, 1795133700000, NULL, '{"at":1795132800000,"attemptId":"con_01M7V41F00GGGGGGGGGGGGGGGP","idempotencyHash":"kgLQ8ICqVRX-z6v17O2V2U9WCln096P9LLxue-zJRnY"}');
INSERT INTO activation_tokens VALUES ('a2vbkKeUGR_jaNt-Kx3GkoUCG00qS9QyqmWW5HFBNWM', 'default', NULL, 1795132800000, 1795133700000, 'con_01M7V41F00GGGGGGGGGGGGGGGP', '{"at":1795132800000,"attemptId":"con_01M7V41F00GGGGGGGGGGGGGGGQ","idempotencyHash":"_XtP5ATEzZAWhFk4yFo5jocwsqkmbextLBCq1PKYvD4"}');
INSERT INTO activation_tokens VALUES ('HVzreJa_pbTVS5gGWsX83kb9uYc5n8ZklIv9M4N6PH0', 'default', 'of expired', 1795305450000, 1795305510000, NULL, NULL);
INSERT INTO activation_tokens VALUES ('1efMc4QHRuVHePB5Rax-mE1QODLAiUkferan7O213TE', 'acme', 'of elsewhere', 1795305450000, 1795306350000, NULL, '{"at":1795305450000,"attemptId":"con_01M808PAGGGGGGGGGGGGGGGGGH","idempotencyHash":"juW4wljoPnjCqxUKm0-7NkPZRnnEHR2cr73jbi47vgw"}');
INSERT INTO activation_tokens VALUES ('v_0pZWThparnzeQvAtKokb1wA8_fT36wDhaaw62wJ4c', 'default', 'of open', 1795305450000, 1795306350000, NULL, NULL);
INSERT INTO activation_tokens VALUES ('Q9akAdpj8mVE5jr1P4YQTLnUfduKBv2aJ1DITwuLvJ0', 'default', 'of online', 1795305450000, 1795306350000, NULL, '{"at":1795305450000,"attemptId":"con_01M808PAGGGGGGGGGGGGGGGGGJ","idempotencyHash":"g03rg0zgoTxbmg8cKbx5fLpseh2Z5P5cyJfKl0XAwIU"}');
INSERT INTO activation_tokens VALUES ('g3r-WVEvNDiz51yrDlOKXuAlIBBN3RHTNkUnRG0BVxc', 'default', 'of old-key', 1795305450000, 1795306350000, NULL, '{"at":1795305450000,"attemptId":"con_01M808PAGGGGGGGGGGGGGGGGGK","idempotencyHash":"E-MKdRJ2a_6x9aEFbPEHIq966QdUWIbk4aAyCcPBZnw"}');
INSERT INTO activation_tokens VALUES ('r8YugKjuVN9ceeVTLnqXg62-RQ0AnjfaRlSRzasJL80', 'default', 'of waiting', 1795305450000, 1795306350000, NULL, '{"at":1795305450000,"attemptId":"con_01M808PAGGGGGGGGGGGGGGGGGM","idempotencyHash":"HTeCJDE4LBQxTHhkFTXnGdb8AooriVK6JMRhodaqiTU"}');
INSERT INTO activation_tokens VALUES ('Zjy5n_MbI_ojvH2t4yl5VGhXKKkMd1UDa7-60lwCgGQ', 'default', 'of removed', 1795305450000, 1795306350000, NULL, '{"at":1795305450000,"attemptId":"con_01M808PAGGGGGGGGGGGGGGGGGN","idempotencyHash":"Q-iweWESsllS1MFszLEdOUnkcjMfK_t4tVb2wqT0IfU"}');
INSERT INTO activation_tokens VALUES ('_nAfRBjU55_r1IdQ2CvKiHQxKFFxVWd9wR4E47ocK10', 'default', NULL, 1795305450000, 1795306350000, 'con_01M808PAGGGGGGGGGGGGGGGGGK', '{"at":1795305450000,"attemptId":"con_01M808PAGGGGGGGGGGGGGGGGGP","idempotencyHash":"TAfEItkz_QqYIvsrG_UvG5IL-pb3D8tEe7tmHzzdOIs"}');
INSERT INTO activation_tokens VALUES ('lGYET46FYEoF3YfQa6kGFXdlF2ta1wNaVhLw-V4TOLw', 'default', NULL, 1795305450000, 1795306350000, 'con_01M808PAGGGGGGGGGGGGGGGGGM', NULL);
INSERT INTO activation_tokens VALUES ('ighnecIZUep9LvmUGw8Ytg-fdz2uLs2dK-AK7sYzjm4', 'default', NULL, 1795305450000, 1795306350000, 'con_01M808PAGGGGGGGGGGGGGGGGGM', NULL);
INSERT INTO activation_tokens VALUES ('H9f_TytP7WSfNzdHtJ4TtbMbnARdqFXe5QW9w_MDOB4', 'default', NULL, 1795305450000, 1795306350000, 'con_01M808PAGGGGGGGGGGGGGGGGGN', NULL);
INSERT INTO api_keys VALUES ('key_01M7V41F00GGGGGGGGGGGGGGGJ', 'acme', 'atDA5svtvkgf5sJ8Qu0I6mb6GX76lD2tVbT1H_C5FFs', 'full', NULL, 1795132800000, 1795219200000, NULL, NULL, NULL);
INSERT INTO api_keys VALUES ('key_01M7V41F00GGGGGGGGGGGGGGGK', 'acme', 'MEWuQDYXC5RUXspTTR-UCZpCTXwT7A_ve8OH0Obt8hc', 'full', 'revoked early', 1795132800000, NULL, 1795132800000, 'leaked', NULL);
INSERT INTO api_keys VALUES ('key_01M808PAGGGGGGGGGGGGGGGGGG', 'acme', 'YZQqzlqKe_8ZIF4rVSVBaH6SeKuocyC5EUnNQfN6nSw', 'full', 'revoked late', 1795305450000, NULL, 1795305450000, 'leaked', NULL);
INSERT INTO api_keys VALUES ('key_01M7V41F00GGGGGGGGGGGGGGGG', 'default', 'ywcKjv2iv5g9JYLi9OcKpoeXKzXRZ8FRXchHInshZ5s', 'full', 'default', 1795132800000, NULL, NULL, NULL, 1795305450000);
INSERT INTO api_keys VALUES ('key_01M7V41F00GGGGGGGGGGGGGGGH', 'acme', '_1-Uzan-yoySqAHe96LzS5xO_RquMcV3AMQbjTJ6S5o', 'full', 'other', 1795132800000, 1826841600000, NULL, NULL, 1795305450000);
INSERT INTO connectors VALUES ('con_01M7V41F00GGGGGGGGGGGGGGGN', 'default', 'revoked', 'vSwLZB3pmtqK_Bk3RltxvHQMxQINHkAAkb2764mq3ak', 1795132800000, 1795132800000, 1795132800000, 'sold', NULL, NULL, NULL);
INSERT INTO connectors VALUES ('con_01M7V41F00GGGGGGGGGGGGGGGP', 'default', 'new-disk', 'xK6hyMCIT5dHABSCtOHmYqsP6Tr63_CmgRDzyu90ewg', 1795132800000, 1795132800000, NULL, NULL, 'eNbz4yqoCUGs0qwDIkWjP9mDla55FkYn7uXvxVPB3q4', NULL, NULL);
INSERT INTO connectors VALUES ('con_01M7V41F00GGGGGGGGGGGGGGGM', 'default', 'oldest', 'VuIBEmhf-2SpY9Q60x6-3ye-UcEmfs551wHQ1GLSDxc', 1795132800000, 1795305450000, NULL, NULL, NULL, NULL, '{"last":"one","since":1795305450000,"earlier":[{"id":"copy","since":1795305450000,"until":1795305450000}],"sharedAt":1795305450000}');
INSERT INTO connectors VALUES ('con_01M808PAGGGGGGGGGGGGGGGGGK', 'default', 'new-key', 'MWws_bEX62KcWW_I_TXx4JpxbJQOgUdnt9JHPOHji1A', 1795305450000, 1795305450000, NULL, NULL, 'gTHphYocJY3eCrW7GPvlhJvzbW5NFCPN7-mPBeAe2cU', NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808PAGGGGGGGGGGGGGGGGGM', 'default', 'waiting', 'z_s269eywN1X65ueDGDNJr2m0gwKPfxVtPlPVW979P8', 1795305450000, NULL, NULL, NULL, NULL, 'ighnecIZUep9LvmUGw8Ytg-fdz2uLs2dK-AK7sYzjm4', NULL);
INSERT INTO connectors VALUES ('con_01M808PAGGGGGGGGGGGGGGGGGJ', 'default', 'online', 'mdALE0ZADsnErrnpRMV0W4KVutS78rIDLjXlq1OqZRE', 1795305450000, 1795305570000, NULL, NULL, NULL, NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808PAGGGGGGGGGGGGGGGGGH', 'acme', 'elsewhere', 'IknslwX0PR1czrGAoiRgQ2lRc4Semah7FHmo518JsVg', 1795305450000, 1795305570000, NULL, NULL, NULL, NULL, NULL);
INSERT INTO store_info VALUES (1, 1, 'BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc', NULL);
ALTER TABLE ONLY activation_tokens
    ADD CONSTRAINT activation_tokens_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY api_keys
    ADD CONSTRAINT api_keys_hash_key UNIQUE (hash);
ALTER TABLE ONLY api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY connectors
    ADD CONSTRAINT connectors_pkey PRIMARY KEY (id);
ALTER TABLE ONLY store_info
    ADD CONSTRAINT store_info_pkey PRIMARY KEY (id);
CREATE INDEX activation_tokens_by_expiry ON activation_tokens USING btree (expires_at);
CREATE INDEX activation_tokens_by_organization ON activation_tokens USING btree (organization, expires_at);
CREATE INDEX connectors_by_organization ON connectors USING btree (organization, id);
CREATE INDEX connectors_revoked ON connectors USING btree (id) WHERE (revoked_at IS NOT NULL);
