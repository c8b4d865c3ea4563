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
    reissue_hash text
)
WITH (fillfactor='70');
CREATE TABLE store_info (
    id integer NOT NULL,
    version integer NOT NULL,
    server_secret text NOT NULL,
    checked_at bigint,
    CONSTRAINT store_info_id_check CHECK ((id = 1))
);
INSERT INTO activation_tokens VALUES ('ovqEF5S7USQULlIVOghiDIGkFHJQC9l5aL3eXBEiQzY', 'default', 'of oldest', 1795132800000, 1795133700000, NULL, '{"at":1795132800000,"attemptId":"con_01M808HR106094TZ9XGGE9PAPT","idempotencyHash":"80fQHnlLcivd686cSKO2PjHJ3lRJzbe4WFoQQfC14aE"}');
INSERT INTO activation_tokens VALUES ('lhUq5oxvRNmEhL-2mhMHJJLbLY7XeuHA887JX6WskBU', 'default', 'of removed-early', 1795132800000, 1795133700000, NULL, '{"at":1795132800000,"attemptId":"con_01M808HR106094TZ9XGGE9PAPV","idempotencyHash":"vIYkjRMV_bNDDmaWaa40o6qLxljO9sJia2FeHFEV3cc"}');
INSERT INTO activation_tokens VALUES ('tCzD201xpn9d53JP2ccAowtWcMC7CjqLQRAxGkcH1XA', 'default', 'of closed', 1795132800000, 1795133700000, NULL, NULL);
INSERT INTO activation_tokens VALUES ('Ypbs_qJtqmFYEBNAcDdUhA2cvDt_J5J0qyO94ROQu9M', 'default', 'of old-disk', 1795132800000, 1795133700000, NULL, '{"at":1795132800000,"attemptId":"con_01M808HR106094TZ9XGGE9PAPW","idempotencyHash":"kgLQ8ICqVRX-z6v17O2V2U9WCln096P9LLxue-zJRnY"}');
INSERT INTO activation_tokens VALUES ('QWkA6-bXyva0UJeBuNAITg2M9DIijhwJj41u8c4yang', 'default', NULL, 1795132800000, 1795133700000, 'con_01M808HR106094TZ9XGGE9PAPW', '{"at":1795132800000,"attemptId":"con_01M808HR106094TZ9XGGE9PAPX","idempotencyHash":"_XtP5ATEzZAWhFk4yFo5jocwsqkmbextLBCq1PKYvD4"}');
INSERT INTO activation_tokens VALUES ('l68ouLbvsqyYE0j64JnFiQOkEVBon5loX925pFcQs-o', 'default', 'of retired-early', 1795132800000, 1795133700000, NULL, '{"at":1795132800000,"attemptId":"con_01M808HR106094TZ9XGGE9PAPY","idempotencyHash":"Kr-HJ0BBOW0PHcXae_BbAfd8rwy0YbhcysCdHxl5n88"}');
INSERT INTO activation_tokens VALUES ('lziTSV8tXgDRR6OxSTR9mDLhInrO-ZgSTHZATjcMxLs', 'default', 'of expired', 1795219200000, 1795220100000, NULL, NULL);
INSERT INTO activation_tokens VALUES ('hitmUkUMBRrSztzPRETgcjT3AfL_Rtq4je2J0OF-0Os', 'default', 'of online', 1795305300000, 1795306200000, NULL, '{"at":1795305300000,"attemptId":"con_01M808HR106094TZ9XGGE9PAQ0","idempotencyHash":"g03rg0zgoTxbmg8cKbx5fLpseh2Z5P5cyJfKl0XAwIU"}');
INSERT INTO activation_tokens VALUES ('WpLWHlwISsPobZ5D_F3f92tzeil-VkXvkyH4s1o_bXA', 'default', 'of silent', 1795305300000, 1795306200000, NULL, '{"at":1795305300000,"attemptId":"con_01M808HR106094TZ9XGGE9PAQ1","idempotencyHash":"UaNGH7aBK6ZFZBozPXn9AxXkqwuNaI9cQlv6A7e0zz4"}');
INSERT INTO activation_tokens VALUES ('_dyTetH0xFbDx9JjMmwu0wymji7FXbIw3q1XOHFmNOs', 'acme', 'of elsewhere', 1795305300000, 1795306200000, NULL, '{"at":1795305300000,"attemptId":"con_01M808HR106094TZ9XGGE9PAQ2","idempotencyHash":"juW4wljoPnjCqxUKm0-7NkPZRnnEHR2cr73jbi47vgw"}');
INSERT INTO activation_tokens VALUES ('p91yvCZcAkxRpBfSK4-ZKw0r9FeTfT6oOSayYgc9nYI', 'default', 'of removed-late', 1795305300000, 1795306200000, NULL, '{"at":1795305300000,"attemptId":"con_01M808HR106094TZ9XGGE9PAQ3","idempotencyHash":"R1pgjTUlivSmdUwa9rsr11YNRcHWwI6TAm_zVWcdh-Q"}');
INSERT INTO activation_tokens VALUES ('WOz3r0jAAxoK6wIf-b3gzSEXgieT1RYO1tiEQhOh1eM', 'default', 'of open', 1795305300000, 1795306200000, NULL, NULL);
INSERT INTO activation_tokens VALUES ('bTqHdO4T4ZiQzVBPhsNOKd8AsIyIDh2mipmyvZIKQNE', 'default', 'of old-key', 1795305300000, 1795306200000, NULL, '{"at":1795305300000,"attemptId":"con_01M808HR106094TZ9XGGE9PAQ4","idempotencyHash":"E-MKdRJ2a_6x9aEFbPEHIq966QdUWIbk4aAyCcPBZnw"}');
INSERT INTO activation_tokens VALUES ('nrJ39PP9xmrA2drixyIGdjFXBaHVVpAS7KY2RL1OhTA', 'default', NULL, 1795305300000, 1795306200000, 'con_01M808HR106094TZ9XGGE9PAQ4', '{"at":1795305300000,"attemptId":"con_01M808HR106094TZ9XGGE9PAQ5","idempotencyHash":"sXbJBKWjEkgauBBKwh_4FRCtHAzytc8Uj8ufcByLO2Q"}');
INSERT INTO activation_tokens VALUES ('tSgCmcU3LsDqtWDH6VSFn6b6-xZsESpuiYpDDqX1g28', 'default', 'of lost-key', 1795305300000, 1795306200000, NULL, '{"at":1795305300000,"attemptId":"con_01M808HR106094TZ9XGGE9PAQ6","idempotencyHash":"sh3i5J4mfDpB24xltVcbu0Od7PT9yPY37qFh9ByxXDU"}');
INSERT INTO activation_tokens VALUES ('s2KR340LD94elXZ2c7Rjwsy2ktcza7y40Gb5TwxSmGI', 'default', NULL, 1795305300000, 1795306200000, 'con_01M808HR106094TZ9XGGE9PAQ6', '{"at":1795305300000,"attemptId":"con_01M808HR106094TZ9XGGE9PAQ7","idempotencyHash":"GMTNGqbyGTOVefYTf8fd3FYDQ2NzWPI9FIW3dVtGwiw"}');
INSERT INTO activation_tokens VALUES ('CWvqcHHOkPWst5w_2rDWDBGBV1v0bqMlTYn6I-uHkZ0', 'default', 'of waiting', 1795305300000, 1795306200000, NULL, '{"at":1795305300000,"attemptId":"con_01M808HR106094TZ9XGGE9PAQ8","idempotencyHash":"HTeCJDE4LBQxTHhkFTXnGdb8AooriVK6JMRhodaqiTU"}');
INSERT INTO activation_tokens VALUES ('LMTlFptub1yyVwAgRXNBvLQfnmugphoHYsUW3M3KJR8', 'default', NULL, 1795305300000, 1795306200000, 'con_01M808HR106094TZ9XGGE9PAQ8', NULL);
INSERT INTO activation_tokens VALUES ('UWDw4jLaN7xhsv9-OnbMsooF7p9vcnvXhXH50gVaXPY', 'default', NULL, 1795305300000, 1795306200000, 'con_01M808HR106094TZ9XGGE9PAQ8', NULL);
INSERT INTO activation_tokens VALUES ('z50suVWNPbJPt0Q2rnOU0ihPPy00lznCl_EedbccwII', 'default', 'of retired-late', 1795305300000, 1795306200000, NULL, '{"at":1795305300000,"attemptId":"con_01M808HR106094TZ9XGGE9PAQ9","idempotencyHash":"fepC3gjixTYKU4UxIgoQBi1ofNXWBlpKLlCLs9TgB3I"}');
INSERT INTO activation_tokens VALUES ('kHWCHhMT6YM_QLqzRRI8YLNQIf9D8eFO0Y72GOSZ-OI', 'default', NULL, 1795305300000, 1795306200000, 'con_01M808HR106094TZ9XGGE9PAQ9', NULL);
INSERT INTO api_keys VALUES ('key_01M808HR106094TZ9XGGE9PAPR', 'acme', 'h1V-HohNkmXtv_CHs3R0AuFkZA0VFJM7qh3PE1fB6xM', 'full', NULL, 1795132800000, 1795219200000, NULL, NULL, NULL);
INSERT INTO api_keys VALUES ('key_01M808HR106094TZ9XGGE9PAPS', 'acme', 'irbKjoxRIh0EYkJpLPdbl9RsEDpKRjl-J8SWpeb-c20', 'full', 'revoked early', 1795132800000, NULL, 1795132800000, 'leaked', NULL);
INSERT INTO api_keys VALUES ('key_01M808HR106094TZ9XGGE9PAPZ', 'acme', '84oUE7X5jlblJJfrJuXGdR9bjnQcdOupIJoYauLrfY0', 'full', 'revoked late', 1795219200000, NULL, 1795219200000, 'leaked', NULL);
INSERT INTO api_keys VALUES ('key_01M808HR106094TZ9XGGE9PAPP', 'default', 'vV42zFKDYCW4cZjyv_8pUxO_WCPIY144hyl2CR1U-2w', 'full', NULL, 1795132800000, NULL, NULL, NULL, 1795305300000);
INSERT INTO api_keys VALUES ('key_01M808HR106094TZ9XGGE9PAPQ', 'acme', 'NWb5dtDtOom8-gXhS-ktFuhTyW2ZLEUBMs-LRoC-DnA', 'full', 'for CI', 1795132800000, 1826841600000, NULL, NULL, 1795305300000);
INSERT INTO connectors VALUES ('con_01M808HR106094TZ9XGGE9PAPT', 'default', 'oldest', 'Pay9A9ZQuBIgX9d0BfVKQkS7uZVJYZJ24R7H0ED020M', 1795132800000, 1795132800000, NULL, NULL, NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808HR106094TZ9XGGE9PAPV', 'default', 'removed-early', 'KplPRN_mYJyHCXXdojhzBP16jZ7JsFoou4A3z2odPHg', 1795132800000, 1795132800000, 1795132800000, 'sold', NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808HR106094TZ9XGGE9PAPW', 'default', 'new-disk', 'KSYZw1OO4wYQSm856GtwUExuF6o7uW6F7cjvaf3mbAo', 1795132800000, 1795132800000, NULL, NULL, 'YoldPDaIEyiisveXzTRrkcqURVB9DqClWqXA-bqhxBg', NULL);
INSERT INTO connectors VALUES ('con_01M808HR106094TZ9XGGE9PAQ1', 'default', 'silent', '_dyxc-nNdyHd5hT7H5Avw-Yl1gS7QBxVdf_oAgsqS2E', 1795305300000, NULL, NULL, NULL, NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808HR106094TZ9XGGE9PAQ3', 'default', 'removed-late', 'dOWe08HtWgxajfPdFKdUW3wQAkI9Xgncj0Pcp6melig', 1795305300000, NULL, 1795305300000, 'sold', NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808HR106094TZ9XGGE9PAQ4', 'default', 'used-key', 'iRr46Sedbt4HqzjKMep-yDQn2NCYeJeqzuKZ9RlIF_Q', 1795305300000, 1795305300000, NULL, NULL, 'NC9wHVefTFyGlDsuAu8qbhLd80otBVDc3Rii3nwT90A', NULL);
INSERT INTO connectors VALUES ('con_01M808HR106094TZ9XGGE9PAQ6', 'default', 'unused-key', '2jCwZMu8Mae4698keB0Tfd6DMwnY0FvYLFb0EGhasuw', 1795305300000, NULL, NULL, NULL, 'pAzaurVjjtaI9NXugL-hKtXaUqxntBFxEVD-soWsTd0', NULL);
INSERT INTO connectors VALUES ('con_01M808HR106094TZ9XGGE9PAQ8', 'default', 'waiting', 'dJWZu16mkVX684kfNyY0PD4r77AW6yWcWmS7J89qWyY', 1795305300000, NULL, NULL, NULL, NULL, 'UWDw4jLaN7xhsv9-OnbMsooF7p9vcnvXhXH50gVaXPY');
INSERT INTO connectors VALUES ('con_01M808HR106094TZ9XGGE9PAQ0', 'default', 'online', 'OuRpDoL1hFPW8pbTB8t50aSF_C6mK0k_UlgJ7PcbjwI', 1795305300000, 1795305570000, NULL, NULL, NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808HR106094TZ9XGGE9PAQ2', 'acme', 'elsewhere', 'M4L-zC-48xxUyFB1zCjfRHteII_SJXvVjIVYMnVgcX4', 1795305300000, 1795305570000, NULL, NULL, NULL, NULL);
INSERT INTO store_info VALUES (1, 1, 'GJACGvPEtnUhyK9BOWT0VNEhfeSzkSRHVZcxH-9SKU8', NULL);
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
