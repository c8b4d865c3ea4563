// The forms of the variables for proxies: what curl 7.88.1 of Debian 12 does with each, and where we differ. Sources:
// curl(1), "ENVIRONMENT"; CURLOPT_NOPROXY(3); https://everything.curl.dev/usingcurl/proxies/env.html. The tests of
// `test/outside/gateways` run curl itself.

/** A form, and why we read it in another way than curl, if we do. */
interface Form {
  readonly because?: string;
}

interface ExclusionForm extends Form {
  /** The value of NO_PROXY. */
  readonly list: string;
  readonly url: string;
  /** Whether the list names the host of the URL, and whether it does for curl; default: the same. */
  readonly isExcluded: boolean;
  readonly forCurl?: boolean;
}

const likeGo = 'Go reads it so, and nobody writes it for another reason';

export const exclusionForms: readonly ExclusionForm[] = [
  {list: '', url: 'http://a.example', isExcluded: false},
  {list: 'a.example', url: 'http://a.example', isExcluded: true},
  {list: 'A.Example', url: 'http://a.example', isExcluded: true},
  {list: 'a.example.', url: 'http://a.example', isExcluded: true},
  {list: 'a.example', url: 'http://a.example.', isExcluded: true},
  {list: 'example', url: 'http://a.example', isExcluded: true},
  {list: '.example', url: 'http://a.example', isExcluded: true},
  {list: '.a.example', url: 'http://a.example', isExcluded: true},
  {list: 'xample', url: 'http://a.example', isExcluded: false},
  {list: 'a.example', url: 'http://example', isExcluded: false},
  {list: '.', url: 'http://a.example', isExcluded: false},
  {list: 'b.example,a.example', url: 'http://a.example', isExcluded: true},
  {list: 'b.example , a.example', url: 'http://a.example', isExcluded: true},
  {list: 'b.example a.example', url: 'http://a.example', isExcluded: true},
  {list: '*', url: 'http://a.example', isExcluded: true},
  {list: '*', url: 'http://10.1.2.3', isExcluded: true},
  {list: 'b,*', url: 'http://a.example', isExcluded: true, forCurl: false, because: likeGo},
  {list: '*.example', url: 'http://a.example', isExcluded: true, forCurl: false, because: likeGo},
  {
    list: 'a.example:80',
    url: 'http://a.example',
    isExcluded: true,
    forCurl: false,
    because: likeGo,
  },
  {list: 'a.example:81', url: 'http://a.example', isExcluded: false},
  {list: '10.1.2.3', url: 'http://10.1.2.3:8080', isExcluded: true},
  {list: '10.1.2.4', url: 'http://10.1.2.3', isExcluded: false},
  {list: '10.0.0.0/8', url: 'http://10.1.2.3', isExcluded: true},
  {list: '10.9.9.9/8', url: 'http://10.1.2.3', isExcluded: true},
  {list: '10.0.0.0/16', url: 'http://10.1.2.3', isExcluded: false},
  {list: '10.0.0.0/33', url: 'http://10.1.2.3', isExcluded: false},
  {list: '10.0.0.0/x', url: 'http://10.1.2.3', isExcluded: false},
  {list: '10.0.0.0/8', url: 'http://a.example', isExcluded: false},
  {
    list: '0.0.0.0/0',
    url: 'http://10.1.2.3',
    isExcluded: true,
    forCurl: false,
    because: 'a prefix of 0 bits has every address (RFC 4632 §3.1)',
  },
  {list: 'fd00::1', url: 'http://[fd00::1]', isExcluded: true},
  {list: 'fd00::2', url: 'http://[fd00::1]', isExcluded: false},
  {list: '[fd00::1]', url: 'http://[fd00::1]', isExcluded: true, forCurl: false, because: likeGo},
  {
    list: '[fd00::1]:80',
    url: 'http://[fd00::1]',
    isExcluded: true,
    forCurl: false,
    because: likeGo,
  },
  {list: '[fd00::1]:81', url: 'http://[fd00::1]', isExcluded: false},
  {
    list: 'fd00:0::1',
    url: 'http://[fd00::1]',
    isExcluded: true,
    forCurl: false,
    because: 'it is the same address (RFC 5952 §2)',
  },
  {
    list: 'fd00::/8',
    url: 'http://[fd00::1]',
    isExcluded: true,
    forCurl: false,
    because: 'CURLOPT_NOPROXY(3) promises it, but this curl compares the texts',
  },
];

/** `HOST:PORT` of the proxy, after `USER:PASSWORD@` where curl sends them; or the end of our refusal. */
type Outcome = string | RegExp;

interface UrlForm extends Form {
  /** The value of the variable; PORT stands for a port. */
  readonly value: string;
  readonly outcome: Outcome;
  /** Default: the same; where we refuse, curl refuses. */
  readonly forCurl?: Outcome;
}

const misread = 'a URL parser takes what follows for a path: the password would be shown as a host';

export const urlForms: readonly UrlForm[] = [
  {value: 'http://127.0.0.1:PORT', outcome: '127.0.0.1:PORT'},
  {value: 'http://127.0.0.1:PORT/', outcome: '127.0.0.1:PORT'},
  {value: 'HTTP://127.0.0.1:PORT', outcome: '127.0.0.1:PORT'},
  {value: '127.0.0.1:PORT', outcome: '127.0.0.1:PORT'},
  {value: 'user:secret@127.0.0.1:PORT', outcome: 'user:secret@127.0.0.1:PORT'},
  {value: 'http://user:secret@127.0.0.1:PORT', outcome: 'user:secret@127.0.0.1:PORT'},
  {value: 'http://user@127.0.0.1:PORT', outcome: 'user:@127.0.0.1:PORT'},
  {value: 'http://user:s%40%5C%c3%bc@127.0.0.1:PORT', outcome: 'user:s@\\ü@127.0.0.1:PORT'},
  {value: "http://user:it's@127.0.0.1:PORT", outcome: "user:it's@127.0.0.1:PORT"},
  {value: 'http://[::1]:PORT', outcome: '[::1]:PORT'},
  {value: 'https://127.0.0.1', outcome: '127.0.0.1:443'},
  {
    value: 'http://127.0.0.1',
    outcome: '127.0.0.1:80',
    forCurl: '127.0.0.1:1080',
    because: 'a URL without port has that of its scheme (RFC 3986 §3.2.3), as in Go',
  },
  {value: 'ftp://127.0.0.1:PORT', outcome: /is not http or https$/},
  {value: 'http://', outcome: /is not a URL$/},
  {value: 'http://127.0.0.1:port', outcome: /is not a URL$/},
  {value: '"http://127.0.0.1:PORT"', outcome: /the character "\\"".*%22$/},
  {value: ' http://127.0.0.1:PORT', outcome: /the character " ".*%20$/},
  {value: 'http://user:sec ret@127.0.0.1:PORT', outcome: /the character " ".*%20$/},
  {value: 'http://user:sec#ret@127.0.0.1:PORT', outcome: /the character "#".*%23$/},
  {value: 'http://user:sec?ret@127.0.0.1:PORT', outcome: /the character "\?".*%3F$/},
  {value: 'http://user:12/secret@127.0.0.1:PORT', outcome: /the character "\/".*%2F$/},
  {
    value: 'http://127.0.0.1:PORT/path',
    outcome: /the character "\/".*%2F$/,
    forCurl: '127.0.0.1:PORT',
    because: misread,
  },
  {
    value: 'http://DOMAIN\\user:secret@127.0.0.1:PORT',
    outcome: /the character "\\\\".*%5C$/,
    forCurl: 'DOMAIN\\user:secret@127.0.0.1:PORT',
    because: misread,
  },
  {
    value: 'http://user:100%sure@127.0.0.1:PORT',
    outcome: /the character "%".*%25$/,
    forCurl: 'user:100%sure@127.0.0.1:PORT',
    because: 'a % that begins no escape leaves open whether the others are escaped',
  },
  {
    value: 'http://user:s@cret@127.0.0.1:PORT',
    outcome: 'user:s@cret@127.0.0.1:PORT',
    forCurl: /refused/,
    because: 'only the last @ can precede a host, as in the URL Standard',
  },
];

interface VariableForm extends Form {
  readonly env: Readonly<Record<string, string>>;
  readonly url: string;
  /** The variable that counts; undefined for none. */
  readonly variable: string | undefined;
  readonly forCurl?: string | undefined;
}

export const variableForms: readonly VariableForm[] = [
  {env: {}, url: 'http://a.example', variable: undefined},
  {env: {http_proxy: 'one'}, url: 'http://a.example', variable: 'http_proxy'},
  {env: {http_proxy: 'one'}, url: 'https://a.example', variable: undefined},
  {
    env: {https_proxy: 'one', HTTPS_PROXY: 'two'},
    url: 'https://a.example',
    variable: 'https_proxy',
  },
  {env: {HTTPS_PROXY: 'two', ALL_PROXY: 'one'}, url: 'https://a.example', variable: 'HTTPS_PROXY'},
  {env: {all_proxy: 'one', ALL_PROXY: 'two'}, url: 'http://a.example', variable: 'all_proxy'},
  {env: {http_proxy: '', ALL_PROXY: 'one'}, url: 'http://a.example', variable: 'ALL_PROXY'},
  {env: {http_proxy: 'one', no_proxy: '*'}, url: 'http://a.example', variable: undefined},
  {env: {http_proxy: 'one', NO_PROXY: '*'}, url: 'http://a.example', variable: undefined},
  {
    env: {http_proxy: 'one', no_proxy: 'b', NO_PROXY: '*'},
    url: 'http://a.example',
    variable: 'http_proxy',
  },
  {
    env: {HTTP_PROXY: 'one'},
    url: 'http://a.example',
    variable: 'HTTP_PROXY',
    forCurl: 'none',
    because: 'everybody sets it; only a CGI program must not read it',
  },
  {env: {HTTP_PROXY: 'one', REQUEST_METHOD: 'GET'}, url: 'http://a.example', variable: undefined},
];
