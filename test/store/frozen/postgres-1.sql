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
INSERT INTO activation_tokens VALUES ('kuo1KGIs5Olq9Tu-_bG1qHmXuchpsAiZnnY4O05Dta8', 'default', 'of oldest', 1795132800000, 1795133700000, NULL, '{"at":1795132800000,"attemptId":"con_01M808HR10VFK0GM0M6FJTYPM6","idempotencyHash":"80fQHnlLcivd686cSKO2PjHJ3lRJzbe4WFoQQfC14aE"}');
INSERT INTO activation_tokens VALUES ('vlJOXNzJMd-xgYtf0fzxOtmQ3jv0bibLQj9McyifAo4', 'default', 'of removed-early', 1795132800000, 1795133700000, NULL, '{"at":1795132800000,"attemptId":"con_01M808HR10VFK0GM0M6FJTYPM7","idempotencyHash":"vIYkjRMV_bNDDmaWaa40o6qLxljO9sJia2FeHFEV3cc"}');
INSERT INTO activation_tokens VALUES ('XB128--RhH80rlvEP7T5YBXrU5wc7oChFNFMX3OBDsU', 'default', 'of closed', 1795132800000, 1795133700000, NULL, NULL);
INSERT INTO activation_tokens VALUES ('aVzS4kiDMw9c0w1zd3Gm6rAHAeWRZAAQ8Rx2WGmLM1k', 'default', 'of old-disk', 1795132800000, 1795133700000, NULL, '{"at":1795132800000,"attemptId":"con_01M808HR10VFK0GM0M6FJTYPM8","idempotencyHash":"kgLQ8ICqVRX-z6v17O2V2U9WCln096P9LLxue-zJRnY"}');
INSERT INTO activation_tokens VALUES ('CV3Rw9VHiBWztBY70P52XYS7AjqJdHihyR-G0ucnmCI', 'default', NULL, 1795132800000, 1795133700000, 'con_01M808HR10VFK0GM0M6FJTYPM8', '{"at":1795132800000,"attemptId":"con_01M808HR10VFK0GM0M6FJTYPM9","idempotencyHash":"_XtP5ATEzZAWhFk4yFo5jocwsqkmbextLBCq1PKYvD4"}');
INSERT INTO activation_tokens VALUES ('jMvxDTcWQdGScYPlGsmB-DHnj767Sdctu4MtbhH0SsU', 'default', 'of retired-early', 1795132800000, 1795133700000, NULL, '{"at":1795132800000,"attemptId":"con_01M808HR10VFK0GM0M6FJTYPMA","idempotencyHash":"Kr-HJ0BBOW0PHcXae_BbAfd8rwy0YbhcysCdHxl5n88"}');
INSERT INTO activation_tokens VALUES ('UUoDVXv1R8iVFhBVfV9D2DL2CdpqYm78eOOqD6MZA4Q', 'default', 'of expired', 1795219200000, 1795220100000, NULL, NULL);
INSERT INTO activation_tokens VALUES ('bogR47kHE8_wutAXm1Vq8eH_zaGq-2b69zdaHdGcP80', 'default', 'of online', 1795305300000, 1795306200000, NULL, '{"at":1795305300000,"attemptId":"con_01M808HR10VFK0GM0M6FJTYPMC","idempotencyHash":"g03rg0zgoTxbmg8cKbx5fLpseh2Z5P5cyJfKl0XAwIU"}');
INSERT INTO activation_tokens VALUES ('VOry3NOFEfd3BYJZWxm4gcxYCn16dVeDCQQrd2-geJw', 'default', 'of silent', 1795305300000, 1795306200000, NULL, '{"at":1795305300000,"attemptId":"con_01M808HR10VFK0GM0M6FJTYPMD","idempotencyHash":"UaNGH7aBK6ZFZBozPXn9AxXkqwuNaI9cQlv6A7e0zz4"}');
INSERT INTO activation_tokens VALUES ('67ERe-U8l6j842eN9I3X-rFOPzT8t9oe4cY8NsJijPw', 'acme', 'of elsewhere', 1795305300000, 1795306200000, NULL, '{"at":1795305300000,"attemptId":"con_01M808HR10VFK0GM0M6FJTYPME","idempotencyHash":"juW4wljoPnjCqxUKm0-7NkPZRnnEHR2cr73jbi47vgw"}');
INSERT INTO activation_tokens VALUES ('eS1kSWoZ0Aj-B9NEjHFg8bEz8pqwmDPrFjIT0o6MXpM', 'default', 'of removed-late', 1795305300000, 1795306200000, NULL, '{"at":1795305300000,"attemptId":"con_01M808HR10VFK0GM0M6FJTYPMF","idempotencyHash":"R1pgjTUlivSmdUwa9rsr11YNRcHWwI6TAm_zVWcdh-Q"}');
INSERT INTO activation_tokens VALUES ('Pasg48umEnKsF8Bdy9EqojECQYE3rtNS0C-EhOdMKQw', 'default', 'of open', 1795305300000, 1795306200000, NULL, NULL);
INSERT INTO activation_tokens VALUES ('ZSIta52_rXXCCI30ytUUIidtezozXwuRomdKHUKGUdM', 'default', 'of old-key', 1795305300000, 1795306200000, NULL, '{"at":1795305300000,"attemptId":"con_01M808HR10VFK0GM0M6FJTYPMG","idempotencyHash":"E-MKdRJ2a_6x9aEFbPEHIq966QdUWIbk4aAyCcPBZnw"}');
INSERT INTO activation_tokens VALUES ('yTx25lMONCor44S0XcqcNAFX0iqoYshAjyToV_PlBOk', 'default', NULL, 1795305300000, 1795306200000, 'con_01M808HR10VFK0GM0M6FJTYPMG', '{"at":1795305300000,"attemptId":"con_01M808HR10VFK0GM0M6FJTYPMH","idempotencyHash":"sXbJBKWjEkgauBBKwh_4FRCtHAzytc8Uj8ufcByLO2Q"}');
INSERT INTO activation_tokens VALUES ('4FR2saQZ10BNsloowN9zkhqvMim8cVJjCwNa1htL01I', 'default', 'of lost-key', 1795305300000, 1795306200000, NULL, '{"at":1795305300000,"attemptId":"con_01M808HR10VFK0GM0M6FJTYPMJ","idempotencyHash":"sh3i5J4mfDpB24xltVcbu0Od7PT9yPY37qFh9ByxXDU"}');
INSERT INTO activation_tokens VALUES ('8v4f5Z_xjqA6yJkakxN58pY16PXoOqUPNCIx5BqQ7yY', 'default', NULL, 1795305300000, 1795306200000, 'con_01M808HR10VFK0GM0M6FJTYPMJ', '{"at":1795305300000,"attemptId":"con_01M808HR10VFK0GM0M6FJTYPMK","idempotencyHash":"GMTNGqbyGTOVefYTf8fd3FYDQ2NzWPI9FIW3dVtGwiw"}');
INSERT INTO activation_tokens VALUES ('swGlxvAimW30T3Qup2oHNgHpFQwM6wFgldHYgSyD-bQ', 'default', 'of waiting', 1795305300000, 1795306200000, NULL, '{"at":1795305300000,"attemptId":"con_01M808HR10VFK0GM0M6FJTYPMM","idempotencyHash":"HTeCJDE4LBQxTHhkFTXnGdb8AooriVK6JMRhodaqiTU"}');
INSERT INTO activation_tokens VALUES ('LQ8ZNnQF0brH53Bb9-gBhO2PY-N8-mLVTUrqHkSHBVQ', 'default', NULL, 1795305300000, 1795306200000, 'con_01M808HR10VFK0GM0M6FJTYPMM', NULL);
INSERT INTO activation_tokens VALUES ('C1d8KKlhTd_FGecjh4yfpOqBrKFizLGAlev4iyAn7Mw', 'default', NULL, 1795305300000, 1795306200000, 'con_01M808HR10VFK0GM0M6FJTYPMM', NULL);
INSERT INTO activation_tokens VALUES ('2B5UNGCrWE4wFpbA5luIB7jdNQe5yQtnFiqeYa3tH_0', 'default', 'of retired-late', 1795305300000, 1795306200000, NULL, '{"at":1795305300000,"attemptId":"con_01M808HR10VFK0GM0M6FJTYPMN","idempotencyHash":"fepC3gjixTYKU4UxIgoQBi1ofNXWBlpKLlCLs9TgB3I"}');
INSERT INTO activation_tokens VALUES ('SZySkvqqRLEb9mGJtlkyJnx89dXZJdAyoGQoDLNJ8ek', 'default', NULL, 1795305300000, 1795306200000, 'con_01M808HR10VFK0GM0M6FJTYPMN', NULL);
INSERT INTO api_keys VALUES ('key_01M808HR10VFK0GM0M6FJTYPM4', 'acme', '4lRsI822Sq7Ovt7dMpy8yDAaBy2cupeU2KjIPf1UIAk', 'full', NULL, 1795132800000, 1795219200000, NULL, NULL, NULL);
INSERT INTO api_keys VALUES ('key_01M808HR10VFK0GM0M6FJTYPM5', 'acme', 'BgpBAfC8ZTrf2p5mwiDHfbVe8IhDSPqWsMLKPOcHHO8', 'full', 'revoked early', 1795132800000, NULL, 1795132800000, 'leaked', NULL);
INSERT INTO api_keys VALUES ('key_01M808HR10VFK0GM0M6FJTYPMB', 'acme', '7_rMSMhsQTOcgGTZSlHw35AtItk6eKBPn5mUl246dJE', 'full', 'revoked late', 1795219200000, NULL, 1795219200000, 'leaked', NULL);
INSERT INTO api_keys VALUES ('key_01M808HR10VFK0GM0M6FJTYPM2', 'default', 'mSkxaIQS5xFfSqeicEpZdhsVbaCE4pDKnYEmUrr3esQ', 'full', NULL, 1795132800000, NULL, NULL, NULL, 1795305300000);
INSERT INTO api_keys VALUES ('key_01M808HR10VFK0GM0M6FJTYPM3', 'acme', 'NqAAxwYyMvM9LsvPcD8FziBdK0aFDNKjaE-Qw0_8Ir8', 'full', 'for CI', 1795132800000, 1826841600000, NULL, NULL, 1795305300000);
INSERT INTO connectors VALUES ('con_01M808HR10VFK0GM0M6FJTYPMC', 'default', 'online', 'jJOxI3thM0C2bvf_-LflcR27NrlODU4fDq22lHsFsUc', 1795305300000, 1795305570000, NULL, NULL, NULL, NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808HR10VFK0GM0M6FJTYPME', 'acme', 'elsewhere', 'p-Q-dsReHCuxWVZunZlRqfTJoyMt7_doHYKZ8z_z63M', 1795305300000, 1795305570000, NULL, NULL, NULL, NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808HR10VFK0GM0M6FJTYPM6', 'default', 'oldest', '3f9n_6flGN4l9tVSyKrWkOMGw4CqSWRrOHcfRaxiPZI', 1795132800000, 1795132800000, NULL, NULL, NULL, NULL, '{"last":"one","before":"copy","beforeAt":1795132800000,"sharedAt":1795132800000}');
INSERT INTO connectors VALUES ('con_01M808HR10VFK0GM0M6FJTYPM7', 'default', 'removed-early', 'gyro42P0BU-s1ojjTFKlnCcw2czyjw6GEpwCIQXIhLo', 1795132800000, 1795132800000, 1795132800000, 'sold', NULL, NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808HR10VFK0GM0M6FJTYPM8', 'default', 'new-disk', 'U6uZ5uz6q6jJWbpmRl4_Xj6xIrVHjpYrlYtGhUQug9k', 1795132800000, 1795132800000, NULL, NULL, 'rgBkWUbcarzK5L6As3sv4s0ItxIHdBiMs2UZ8S1uzto', NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808HR10VFK0GM0M6FJTYPMD', 'default', 'silent', 'iCOOhTpUNPIEJsG303zhon4vUldB94DUD9lK6fakT3Q', 1795305300000, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808HR10VFK0GM0M6FJTYPMF', 'default', 'removed-late', 'OxcTjtpk1RKrMC6kSTpJZueqybHiSSodrAtN4YpULhg', 1795305300000, NULL, 1795305300000, 'sold', NULL, NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808HR10VFK0GM0M6FJTYPMG', 'default', 'used-key', 'U0BxD8KwHo8Iwdf3KcTQ2wAMpCK-iSH1slQ39hA3ms0', 1795305300000, 1795305300000, NULL, NULL, '2gqtJQD6zOhz6gxkwyLp8m2dV6Qc2w-cv2aNGTvNU0A', NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808HR10VFK0GM0M6FJTYPMJ', 'default', 'unused-key', 'Pfmj-8oehfM6nwmMeLUNlqSP_DWfWJhW3ft32_lKwbg', 1795305300000, NULL, NULL, NULL, 'IwKiSDvZvfzcbt8HJJp1KeL6dlC1q1S4z0KNvTgnEI0', NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808HR10VFK0GM0M6FJTYPMM', 'default', 'waiting', '98jO7h6jHqWxiGn5uRif-A4Up_CxN0fGsCikWZjW4KM', 1795305300000, NULL, NULL, NULL, NULL, 'C1d8KKlhTd_FGecjh4yfpOqBrKFizLGAlev4iyAn7Mw', NULL);
INSERT INTO store_info VALUES (1, 1, 'FLkiyEs2VA9wJPMRQ3pbysy28GiUfxuRXkiWAiWtkh0', NULL);
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
