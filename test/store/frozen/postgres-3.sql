CREATE TABLE activation_tokens (
    hash text NOT NULL COLLATE pg_catalog."C",
    organization text NOT NULL COLLATE pg_catalog."C",
    description text,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    redeemed_at bigint,
    connector_id text,
    idempotency_hash text,
    reissues text COLLATE pg_catalog."C"
);
CREATE TABLE api_keys (
    id text NOT NULL COLLATE pg_catalog."C",
    organization text NOT NULL COLLATE pg_catalog."C",
    hash text NOT NULL COLLATE pg_catalog."C",
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
    replaced_key_hash text,
    ended_key_hash text,
    reissue_hash text
)
WITH (fillfactor='70');
CREATE TABLE store_info (
    id integer NOT NULL,
    version integer NOT NULL,
    server_secret text NOT NULL,
    is_copying boolean NOT NULL,
    first_key_id text,
    checked_at bigint,
    CONSTRAINT store_info_id_check CHECK ((id = 1))
);
INSERT INTO activation_tokens VALUES ('Ji6OvJ7v-GT87pqP55IPJPvHE_zJmjYvO4snI2gxOMw', 'default', 'of oldest', 1795132800000, 1795133700000, 1795132800000, 'con_01M7V41F00W4EKBPWWG6NB63MY', '80fQHnlLcivd686cSKO2PjHJ3lRJzbe4WFoQQfC14aE', NULL);
INSERT INTO activation_tokens VALUES ('Rh8MrBAH8YOj1DEjSNzooBNPu691HWaJdHNauCTBqlQ', 'default', 'of removed-early', 1795132800000, 1795133700000, 1795132800000, 'con_01M7V41F00W4EKBPWWG6NB63MZ', 'vIYkjRMV_bNDDmaWaa40o6qLxljO9sJia2FeHFEV3cc', NULL);
INSERT INTO activation_tokens VALUES ('pzMzh9ZtrBjCDJvAAQkI5sErpr6RcgqeQKRKl4bvnTk', 'default', 'of closed', 1795132800000, 1795133700000, NULL, NULL, NULL, NULL);
INSERT INTO activation_tokens VALUES ('a4Lo-QozcDfUQSx1oosWw47J82OucI9NGr45D1Y83QI', 'default', 'of old-disk', 1795132800000, 1795133700000, 1795132800000, 'con_01M7V41F00W4EKBPWWG6NB63N0', 'kgLQ8ICqVRX-z6v17O2V2U9WCln096P9LLxue-zJRnY', NULL);
INSERT INTO activation_tokens VALUES ('iy7wdcqCXlZlKTvzQ0IzhYGFd_iimLPK2oTxHZn2O7g', 'default', NULL, 1795132800000, 1795133700000, 1795132800000, 'con_01M7V41F00W4EKBPWWG6NB63N0', '_XtP5ATEzZAWhFk4yFo5jocwsqkmbextLBCq1PKYvD4', 'con_01M7V41F00W4EKBPWWG6NB63N0');
INSERT INTO activation_tokens VALUES ('TD-nySWCCoWvV7qVI9nGlVwckchwqTt7eeLRa4tHd3s', 'default', 'of retired-early', 1795132800000, 1795133700000, 1795132800000, '', NULL, NULL);
INSERT INTO activation_tokens VALUES ('f6uTxzSY4oyPiftdy6yD01zux6Z_bDxm7rGvKeEsOxk', 'default', 'of expired', 1795219200000, 1795220100000, NULL, NULL, NULL, NULL);
INSERT INTO activation_tokens VALUES ('3uSRZ5K48peApUrVmzeHGqwf7xwBghwUgBEoFYMapNo', 'default', 'of online', 1795305300000, 1795306200000, 1795305300000, 'con_01M808HR103G65W6MXMFXHDXXA', 'g03rg0zgoTxbmg8cKbx5fLpseh2Z5P5cyJfKl0XAwIU', NULL);
INSERT INTO activation_tokens VALUES ('mgJmyUI5bkbMoZdPvHDB7t5V5zmBxcYWKrsddYeBNjQ', 'default', 'of silent', 1795305300000, 1795306200000, 1795305300000, 'con_01M808HR103G65W6MXMFXHDXXB', 'UaNGH7aBK6ZFZBozPXn9AxXkqwuNaI9cQlv6A7e0zz4', NULL);
INSERT INTO activation_tokens VALUES ('ePPsyCg8f1KMXkCnofKqYcNHYbZp8KYqV6FOps1xLwc', 'acme', 'of elsewhere', 1795305300000, 1795306200000, 1795305300000, 'con_01M808HR103G65W6MXMFXHDXXC', 'juW4wljoPnjCqxUKm0-7NkPZRnnEHR2cr73jbi47vgw', NULL);
INSERT INTO activation_tokens VALUES ('NsFhVP5uv6RaJj38oPBtdfXF0xa7yK1DwUxtbiP-m1s', 'default', 'of removed-late', 1795305300000, 1795306200000, 1795305300000, 'con_01M808HR103G65W6MXMFXHDXXD', 'R1pgjTUlivSmdUwa9rsr11YNRcHWwI6TAm_zVWcdh-Q', NULL);
INSERT INTO activation_tokens VALUES ('XkfyXIx1vM7Xiv4mkYTjoSr7ps6X43uRZNPhlkjnIqY', 'default', 'of open', 1795305300000, 1795306200000, NULL, NULL, NULL, NULL);
INSERT INTO activation_tokens VALUES ('gdtj9Mh1PkaNxNGEfEgrTSvQFpfR3AsGKbAHvABSY5o', 'default', 'of old-key', 1795305300000, 1795306200000, 1795305300000, 'con_01M808HR103G65W6MXMFXHDXXE', 'E-MKdRJ2a_6x9aEFbPEHIq966QdUWIbk4aAyCcPBZnw', NULL);
INSERT INTO activation_tokens VALUES ('Ur2-u-f-XQUCxDlKP5hr8C_u2KpwbgTXxFO7j-_vFEQ', 'default', NULL, 1795305300000, 1795306200000, 1795305300000, 'con_01M808HR103G65W6MXMFXHDXXE', 'sXbJBKWjEkgauBBKwh_4FRCtHAzytc8Uj8ufcByLO2Q', 'con_01M808HR103G65W6MXMFXHDXXE');
INSERT INTO activation_tokens VALUES ('fvQ3Y6TSuCrV3UfuGS_s9zhHJm-qcsTW_7HPMZrbUoY', 'default', 'of lost-key', 1795305300000, 1795306200000, 1795305300000, 'con_01M808HR103G65W6MXMFXHDXXG', 'sh3i5J4mfDpB24xltVcbu0Od7PT9yPY37qFh9ByxXDU', NULL);
INSERT INTO activation_tokens VALUES ('XiQwub1KI3d364GjW95HX1VHkho2xYSlR3NRkOiUVd4', 'default', NULL, 1795305300000, 1795306200000, 1795305300000, 'con_01M808HR103G65W6MXMFXHDXXG', 'GMTNGqbyGTOVefYTf8fd3FYDQ2NzWPI9FIW3dVtGwiw', 'con_01M808HR103G65W6MXMFXHDXXG');
INSERT INTO activation_tokens VALUES ('iwSNnLPKZ75O3g9Wg1a4T_mbvRyqA7qy7mqg7lFOpR0', 'default', 'of waiting', 1795305300000, 1795306200000, 1795305300000, 'con_01M808HR103G65W6MXMFXHDXXJ', 'HTeCJDE4LBQxTHhkFTXnGdb8AooriVK6JMRhodaqiTU', NULL);
INSERT INTO activation_tokens VALUES ('jsjy-rF3zEhQlddyFObu1MRxchBWM-0bwpHasfFuBiM', 'default', NULL, 1795305300000, 1795306200000, 1795305300000, '', NULL, 'con_01M808HR103G65W6MXMFXHDXXJ');
INSERT INTO activation_tokens VALUES ('3v4IAuGdLsRhKZaDrXL-nQVE4QT0J4JHsXA4cicN6Lc', 'default', NULL, 1795305300000, 1795306200000, NULL, NULL, NULL, 'con_01M808HR103G65W6MXMFXHDXXJ');
INSERT INTO activation_tokens VALUES ('drBIBWMQ8e99rtPIJ8h0-3Piad9grnU1vMjUPvlT3Z0', 'default', 'of retired-late', 1795305300000, 1795306200000, 1795305300000, '', NULL, NULL);
INSERT INTO activation_tokens VALUES ('Q7uGsdzBXrTC-OPdjjbuIDHVqjk4sZrt3MPQHFsoEeE', 'default', NULL, 1795305300000, 1795306200000, 1795305300000, '', NULL, 'con_01M808HR103G65W6MXMFXHDXXK');
INSERT INTO api_keys VALUES ('key_01M7V41F00W4EKBPWWG6NB63MW', 'acme', '1l-OywPeIMK_lcIieClgeM-q6qKXmRrzqr4Rj0xR-aQ', NULL, 1795132800000, 1795219200000, NULL, NULL, NULL);
INSERT INTO api_keys VALUES ('key_01M7V41F00W4EKBPWWG6NB63MX', 'acme', 'NwI6eBNZvwVpLG12juFdZGw-3ctBZ8uZ6aV_o5ot6QY', 'revoked early', 1795132800000, NULL, 1795132800000, 'leaked', NULL);
INSERT INTO api_keys VALUES ('key_01M7XPE6008KEYZSBVPAR9047X', 'acme', 'bVibqgHQYAgkOVdjgMfLWFuOs04UEJmsgvHstlJ32LM', 'revoked late', 1795219200000, NULL, 1795219200000, 'leaked', NULL);
INSERT INTO api_keys VALUES ('key_01M7V41F00W4EKBPWWG6NB63MT', 'default', '1OGcQfaKYFnHGRgi9MhyeBT6V4lG_2wxwA6kmv92R_s', NULL, 1795132800000, NULL, NULL, NULL, 1795305300000);
INSERT INTO api_keys VALUES ('key_01M7V41F00W4EKBPWWG6NB63MV', 'acme', 'atnudmU8iitpaxiEwd_DZzewy1PO6wny1tXzO46f8w4', 'for CI', 1795132800000, 1826841600000, NULL, NULL, 1795305300000);
INSERT INTO connectors VALUES ('con_01M7V41F00W4EKBPWWG6NB63MY', 'default', 'oldest', 'xHk_l7zV4ft46gEW2ed3HsAu3VvgJDryP6s2aP_3V4o', 1795132800000, 1795132800000, NULL, NULL, NULL, NULL, NULL);
INSERT INTO connectors VALUES ('con_01M7V41F00W4EKBPWWG6NB63MZ', 'default', 'removed-early', 'W5zai_Jkz-KB5134GBFVorRaLonlBxuxqXT2keruCNw', 1795132800000, 1795132800000, 1795132800000, 'sold', NULL, NULL, NULL);
INSERT INTO connectors VALUES ('con_01M7V41F00W4EKBPWWG6NB63N0', 'default', 'new-disk', 'ZQ0x-mkI6NLDJQy4lLFvO7oBS_8sIB48ho4KMRJ-Gow', 1795132800000, 1795132800000, NULL, NULL, NULL, 'X_Hey-uLwMg630FNK8uAhiuv3tNuKyTvS4aQXQmcd90', 'iy7wdcqCXlZlKTvzQ0IzhYGFd_iimLPK2oTxHZn2O7g');
INSERT INTO connectors VALUES ('con_01M808HR103G65W6MXMFXHDXXB', 'default', 'silent', 'AbBMGcuUiDlwoxzNQ5o8sRvnpSEGqsB26Cg0BhXr1V8', 1795305300000, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808HR103G65W6MXMFXHDXXD', 'default', 'removed-late', 'de44ja258U1qpkYKq8a3sA41GvQMF2YaQxlXS4FRnJo', 1795305300000, NULL, 1795305300000, 'sold', NULL, NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808HR103G65W6MXMFXHDXXE', 'default', 'used-key', 'snOFEFnFyisRFElD7cyEMX1SgneDoLGCnbPo6rArtDg', 1795305300000, 1795305300000, NULL, NULL, NULL, '9j3Akq14aKjlhqyTPRF9P7ziK-W4Vv12KK5-bzki7w0', 'Ur2-u-f-XQUCxDlKP5hr8C_u2KpwbgTXxFO7j-_vFEQ');
INSERT INTO connectors VALUES ('con_01M808HR103G65W6MXMFXHDXXG', 'default', 'unused-key', 'gbju4tuKxYaEswGDfj5TB8f-q3k0xr4BAf7zkl5iA3Q', 1795305300000, NULL, NULL, NULL, 'zgpsyRa0ctF1C99wPxNlJhC6EYpSW6j6U1TTOkI-tKo', NULL, 'XiQwub1KI3d364GjW95HX1VHkho2xYSlR3NRkOiUVd4');
INSERT INTO connectors VALUES ('con_01M808HR103G65W6MXMFXHDXXJ', 'default', 'waiting', '8XyeFmXukVhM1XaYC4F1akP46eYD76AE4A_aRWL_D8c', 1795305300000, NULL, NULL, NULL, NULL, NULL, '3v4IAuGdLsRhKZaDrXL-nQVE4QT0J4JHsXA4cicN6Lc');
INSERT INTO connectors VALUES ('con_01M808HR103G65W6MXMFXHDXXA', 'default', 'online', 'Yoa-huZlAPFSX19m_zgvhBFTJQZBMYPQj-HLwjOGxiI', 1795305300000, 1795305570000, NULL, NULL, NULL, NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808HR103G65W6MXMFXHDXXC', 'acme', 'elsewhere', 'Q5ZoSSmwdttawk7uIqdmWvgKrCsWui24iB08YZYkpOs', 1795305300000, 1795305570000, NULL, NULL, NULL, NULL, NULL);
INSERT INTO store_info VALUES (1, 3, '1DHPA0sXyrUMmxeqhANQgVKpKksHYGL-wf9_6qiOPXU', false, 'key_01M7V41F00W4EKBPWWG6NB63MT', NULL);
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
CREATE INDEX activation_tokens_reissues ON activation_tokens USING btree (reissues) WHERE (reissues IS NOT NULL);
CREATE INDEX connectors_by_organization ON connectors USING btree (organization, id);
CREATE INDEX connectors_revoked ON connectors USING btree (id) WHERE (revoked_at IS NOT NULL);
