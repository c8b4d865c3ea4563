CREATE TABLE activation_tokens (
    hash text NOT NULL COLLATE pg_catalog."C",
    organization text NOT NULL COLLATE pg_catalog."C",
    description text,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    reissues text COLLATE pg_catalog."C",
    redeemed_at bigint,
    attempt_id text,
    idempotency_hash text
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
INSERT INTO activation_tokens VALUES ('MUOZbfCiWrDxgFGeiAxF4fJsl9XHI6RzA4I_GIiChEE', 'default', 'of oldest', 1795132800000, 1795133700000, NULL, 1795132800000, 'con_01M7V41F006YQXVZ7HZGJ222P3', '80fQHnlLcivd686cSKO2PjHJ3lRJzbe4WFoQQfC14aE');
INSERT INTO activation_tokens VALUES ('BPTuo3ukWZz-Z6K8jQENcMGzs7b_PRbiDePPEefXDoA', 'default', 'of removed-early', 1795132800000, 1795133700000, NULL, 1795132800000, 'con_01M7V41F006YQXVZ7HZGJ222P4', 'vIYkjRMV_bNDDmaWaa40o6qLxljO9sJia2FeHFEV3cc');
INSERT INTO activation_tokens VALUES ('KuLEufcOcjhjVOC_GdANnGNqWWs1ShdN_ioRHP2vAfs', 'default', 'of closed', 1795132800000, 1795133700000, NULL, NULL, NULL, NULL);
INSERT INTO activation_tokens VALUES ('-udyH3IfW31RGMhP7joE9DfmFO_gwQlSINceHEXaecU', 'default', 'of old-disk', 1795132800000, 1795133700000, NULL, 1795132800000, 'con_01M7V41F006YQXVZ7HZGJ222P5', 'kgLQ8ICqVRX-z6v17O2V2U9WCln096P9LLxue-zJRnY');
INSERT INTO activation_tokens VALUES ('xlpdX6w2kje6GJU41nYhUDvhGYH6-Yy33PWgvdWiEEU', 'default', NULL, 1795132800000, 1795133700000, 'con_01M7V41F006YQXVZ7HZGJ222P5', 1795132800000, 'con_01M7V41F006YQXVZ7HZGJ222P6', '_XtP5ATEzZAWhFk4yFo5jocwsqkmbextLBCq1PKYvD4');
INSERT INTO activation_tokens VALUES ('_EjeiO0AZMuAcmeTkZw9xrkYao4BbW_PZz5V7CCrYeQ', 'default', 'of retired-early', 1795132800000, 1795133700000, NULL, 1795132800000, 'con_01M7V41F006YQXVZ7HZGJ222P7', 'Kr-HJ0BBOW0PHcXae_BbAfd8rwy0YbhcysCdHxl5n88');
INSERT INTO activation_tokens VALUES ('1CukU58C2r81LfEqdGfY5HveUyz5trtEOfzhdepcxmY', 'default', 'of expired', 1795219200000, 1795220100000, NULL, NULL, NULL, NULL);
INSERT INTO activation_tokens VALUES ('hHuevQJMBmzZvevtgARIc-ZAIP61Q9h1FK7wnF4fuJM', 'default', 'of online', 1795305300000, 1795306200000, NULL, 1795305300000, 'con_01M808HR10AMMJGRTBCTA61NTJ', 'g03rg0zgoTxbmg8cKbx5fLpseh2Z5P5cyJfKl0XAwIU');
INSERT INTO activation_tokens VALUES ('WJ2HKSeCp1tYj_7oFJa6rjbQLzdLxih3Qe9ZLcWB_x0', 'default', 'of silent', 1795305300000, 1795306200000, NULL, 1795305300000, 'con_01M808HR10AMMJGRTBCTA61NTK', 'UaNGH7aBK6ZFZBozPXn9AxXkqwuNaI9cQlv6A7e0zz4');
INSERT INTO activation_tokens VALUES ('LWa5SoIQ17sYLKYavYQbgCmGZi37UT_GgZdnoHIOzAU', 'acme', 'of elsewhere', 1795305300000, 1795306200000, NULL, 1795305300000, 'con_01M808HR10AMMJGRTBCTA61NTM', 'juW4wljoPnjCqxUKm0-7NkPZRnnEHR2cr73jbi47vgw');
INSERT INTO activation_tokens VALUES ('hrtz5v-M9jwJt-KJ2R4JZASUWuNr87j3i1Xxu2Tagyw', 'default', 'of removed-late', 1795305300000, 1795306200000, NULL, 1795305300000, 'con_01M808HR10AMMJGRTBCTA61NTN', 'R1pgjTUlivSmdUwa9rsr11YNRcHWwI6TAm_zVWcdh-Q');
INSERT INTO activation_tokens VALUES ('MQe0Zzp1-v1qlXqJ0bXKggBftbpYfh4eqmbmFu9RpI8', 'default', 'of open', 1795305300000, 1795306200000, NULL, NULL, NULL, NULL);
INSERT INTO activation_tokens VALUES ('0l-qBNlXYEb2-YKxjDbWQHKLb0BfZk0dy6ruAyYrc_s', 'default', 'of old-key', 1795305300000, 1795306200000, NULL, 1795305300000, 'con_01M808HR10AMMJGRTBCTA61NTP', 'E-MKdRJ2a_6x9aEFbPEHIq966QdUWIbk4aAyCcPBZnw');
INSERT INTO activation_tokens VALUES ('CNdJVi7PcuaDDg-tYQbr3gVG8isVv25364C_eETeeyM', 'default', NULL, 1795305300000, 1795306200000, 'con_01M808HR10AMMJGRTBCTA61NTP', 1795305300000, 'con_01M808HR10AMMJGRTBCTA61NTQ', 'sXbJBKWjEkgauBBKwh_4FRCtHAzytc8Uj8ufcByLO2Q');
INSERT INTO activation_tokens VALUES ('L_bBR9_Img3Zju-s0wiwMlq4Nv2zFZJI7R6AU8TBBZw', 'default', 'of lost-key', 1795305300000, 1795306200000, NULL, 1795305300000, 'con_01M808HR10AMMJGRTBCTA61NTR', 'sh3i5J4mfDpB24xltVcbu0Od7PT9yPY37qFh9ByxXDU');
INSERT INTO activation_tokens VALUES ('wPsXNn8CuaRqbqJR6qbK-x79UIstSdkG_UqzlCAUSsQ', 'default', NULL, 1795305300000, 1795306200000, 'con_01M808HR10AMMJGRTBCTA61NTR', 1795305300000, 'con_01M808HR10AMMJGRTBCTA61NTS', 'GMTNGqbyGTOVefYTf8fd3FYDQ2NzWPI9FIW3dVtGwiw');
INSERT INTO activation_tokens VALUES ('NJcLkx1oOCB4vuVBcfTxnCWfRkUZsq5Kz-eIZDdZkBY', 'default', 'of waiting', 1795305300000, 1795306200000, NULL, 1795305300000, 'con_01M808HR10AMMJGRTBCTA61NTT', 'HTeCJDE4LBQxTHhkFTXnGdb8AooriVK6JMRhodaqiTU');
INSERT INTO activation_tokens VALUES ('iE2aV7YndyooVHOsrbOGMstIpe7iMJuPpaSBK-RXlvs', 'default', NULL, 1795305300000, 1795306200000, 'con_01M808HR10AMMJGRTBCTA61NTT', NULL, NULL, NULL);
INSERT INTO activation_tokens VALUES ('pC2HASIKNB6BGjXyevH_F1fipq1elaJphKxlYNpdBvY', 'default', NULL, 1795305300000, 1795306200000, 'con_01M808HR10AMMJGRTBCTA61NTT', NULL, NULL, NULL);
INSERT INTO activation_tokens VALUES ('HksRu5WDW4iM-mr9ISbjBQDs2S4zjy45OEqFKvje_C0', 'default', 'of retired-late', 1795305300000, 1795306200000, NULL, 1795305300000, 'con_01M808HR10AMMJGRTBCTA61NTV', 'fepC3gjixTYKU4UxIgoQBi1ofNXWBlpKLlCLs9TgB3I');
INSERT INTO activation_tokens VALUES ('cYuGhyjPOKc4ECYhdxC_2HbViNapZ7MMwMIvt43IBfk', 'default', NULL, 1795305300000, 1795306200000, 'con_01M808HR10AMMJGRTBCTA61NTV', NULL, NULL, NULL);
INSERT INTO api_keys VALUES ('key_01M7V41F006YQXVZ7HZGJ222P1', 'acme', 'axnMMf9AYikAXw8kYQqxDONJ-UZY0SLmpTpmsb6CQQA', NULL, 1795132800000, 1795219200000, NULL, NULL, NULL);
INSERT INTO api_keys VALUES ('key_01M7V41F006YQXVZ7HZGJ222P2', 'acme', '_cGpjoJaN4dOqu6NhBEQAJL7gUbqoklQYR7GUn-Tx58', 'revoked early', 1795132800000, NULL, 1795132800000, 'leaked', NULL);
INSERT INTO api_keys VALUES ('key_01M7XPE600RQ4QY1X6GJ8NT66S', 'acme', 'ucH-uj8moqbLFIRuKOaLeRteCrFeKcIQSNjOW1NhNBM', 'revoked late', 1795219200000, NULL, 1795219200000, 'leaked', NULL);
INSERT INTO api_keys VALUES ('key_01M7V41F006YQXVZ7HZGJ222NZ', 'default', 'hLLErxf0OoAObzhOXWwqPnnCbo0VcGLIy_NaLfUXaik', NULL, 1795132800000, NULL, NULL, NULL, 1795305300000);
INSERT INTO api_keys VALUES ('key_01M7V41F006YQXVZ7HZGJ222P0', 'acme', '5H42Oe667-HhGZ9My1T4Kg0FuzvNeLR-OO-ari8rbWc', 'for CI', 1795132800000, 1826841600000, NULL, NULL, 1795305300000);
INSERT INTO connectors VALUES ('con_01M7V41F006YQXVZ7HZGJ222P3', 'default', 'oldest', 'alB6LT6A0MJVNdU0dDrEvBmb8OLu7Yzcg9BcZCY0_Xc', 1795132800000, 1795132800000, NULL, NULL, NULL, NULL);
INSERT INTO connectors VALUES ('con_01M7V41F006YQXVZ7HZGJ222P4', 'default', 'removed-early', 'BGKKxQ0kLlSbaQ813GUoAE634FZn0q6i-3e_1D45J5U', 1795132800000, 1795132800000, 1795132800000, 'sold', NULL, NULL);
INSERT INTO connectors VALUES ('con_01M7V41F006YQXVZ7HZGJ222P5', 'default', 'new-disk', 'I4mWw0509x81_xBzymAL_oJSTrSRVLtx-ydoP77UoL0', 1795132800000, 1795132800000, NULL, NULL, 'DNoJzEnzfk2aCAZ9l7uFMXtw6w7ZBnj1HhJvijkS0Kk', NULL);
INSERT INTO connectors VALUES ('con_01M808HR10AMMJGRTBCTA61NTK', 'default', 'silent', 'BB1Ohddkdb_Nj64UZqACUxTKpY4RRysDA62EGSljI8Y', 1795305300000, NULL, NULL, NULL, NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808HR10AMMJGRTBCTA61NTN', 'default', 'removed-late', '6_2sRp4VppQu3IZViC1jqIwXWc8wPzKdzXpVBRxNCoY', 1795305300000, NULL, 1795305300000, 'sold', NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808HR10AMMJGRTBCTA61NTP', 'default', 'used-key', '1_skhp6nZ33ssNw_CgdECRBkTa1qe7qd6hB9IBkaV3c', 1795305300000, 1795305300000, NULL, NULL, 'DBkRnpn0aV3w5OiXX6B3rdfhenKU1FhJz7hLlTa1wBE', NULL);
INSERT INTO connectors VALUES ('con_01M808HR10AMMJGRTBCTA61NTR', 'default', 'unused-key', 'M4OcUZKxofMY0sZCZpgzXQyKGj5VZTU4n2SjtdJpcc8', 1795305300000, NULL, NULL, NULL, 'LxrAl-l4XaHK2sBcdwDMpbuhojYRx3wpWIhKYHPfaB0', NULL);
INSERT INTO connectors VALUES ('con_01M808HR10AMMJGRTBCTA61NTT', 'default', 'waiting', 'eoSxpBDOH7MLoQzA8BKQI1hraAmZD-HGklxolKT1oDU', 1795305300000, NULL, NULL, NULL, NULL, 'pC2HASIKNB6BGjXyevH_F1fipq1elaJphKxlYNpdBvY');
INSERT INTO connectors VALUES ('con_01M808HR10AMMJGRTBCTA61NTJ', 'default', 'online', '7CCRUyFxbtFL1N2uQEflTGrW7FFcPcODFNCp5b-WHKI', 1795305300000, 1795305570000, NULL, NULL, NULL, NULL);
INSERT INTO connectors VALUES ('con_01M808HR10AMMJGRTBCTA61NTM', 'acme', 'elsewhere', 'hHy7eAmdGYREfrwSQBw9A-K0FXkS-ZHnTRlMFDanZxs', 1795305300000, 1795305570000, NULL, NULL, NULL, NULL);
INSERT INTO store_info VALUES (1, 1, 'mHoYficIydMyI1k_OKDdw02aQ-_3gCdpJ_am2TWrn68', NULL);
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
