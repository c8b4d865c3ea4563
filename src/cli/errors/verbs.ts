// What people who know other tools call what can be done here.

/** A command to type instead, and why it differs. */
export type Suggested = readonly [command: string, reason?: string];

/** The verbs of other tools, by what they want. */
export const intents = {
  create: 'add create generate issue make new register',
  list: 'all list ls ps',
  show: 'cat describe get info inspect print read show view',
  change: 'change configure edit modify patch rename set update',
  remove: 'clear del delete destroy drop remove revoke rm unregister unset',
  replace: 'refresh regenerate renew replace reset roll rotate',
  use: 'choose default select switch use',
  check: 'check ping status test validate verify',
  wait: 'await wait',
  watch: 'follow monitor tail top watch',
  start: 'exec launch run start up',
  stop: 'disable down kill pause stop',
  copy: 'backup clone copy dump export import migrate move mv restore sync',
} as const;

type Intent = keyof typeof intents;
const intentNames = Object.keys(intents) as Intent[];

/** What a topic suggests for each intent; `other` for those that it does not name. */
type Suggestions = {readonly other: Suggested} & Partial<Readonly<Record<Intent, Suggested>>>;

const anotherConnector =
  'The interface has no operation that changes a connector. Activate it again, under its new name, with';
const anotherKey = 'A key cannot be changed. Create another, then revoke the old one. Begin with';
const inProfiles = 'Settings are kept in profiles';
const noTokens = 'Activation tokens cannot be listed. Create one with';

/** Every topic of the command line; a test compares. */
export const topics = {
  config: () => ({
    create: ['login'],
    change: ['profile set', inProfiles],
    remove: ['profile remove', inProfiles],
    use: ['profile use'],
    check: ['doctor'],
    show: ['profile list'],
    list: ['profile list'],
    other: ['config path'],
  }),
  connector: () => ({
    create: ['connector activate', 'A connector is created by activating it with a token'],
    list: ['connector list'],
    change: ['connector activate', anotherConnector],
    remove: [
      'store remove ID',
      'The interface has no operation that removes a connector. On the machine of the reference service, use',
    ],
    replace: [
      'store reissue ID',
      'A connector gets another key by an activation with a token for it. On the machine of the reference service, use',
    ],
    wait: ['connector get ID --wait online'],
    watch: ['connector list --watch'],
    start: ['connector run'],
    stop: ['key revoke ID', 'To stop its heartbeats, stop connector run. To refuse its key'],
    other: ['connector get'],
  }),
  key: () => ({
    create: ['key create'],
    change: ['key create', anotherKey],
    remove: ['key revoke'],
    replace: ['key create', anotherKey],
    use: ['login'],
    check: ['whoami'],
    stop: ['key revoke'],
    other: ['key list'],
  }),
  profile: () => ({
    create: ['profile set'],
    show: ['profile show'],
    change: ['profile set'],
    remove: ['profile remove'],
    replace: ['login'],
    use: ['profile use'],
    check: ['whoami'],
    other: ['profile list'],
  }),
  sandbox: () => ({
    create: ['serve --sandbox'],
    start: ['serve --sandbox'],
    remove: ['sandbox reset'],
    replace: ['sandbox reset'],
    wait: ['sandbox advance'],
    watch: ['sandbox requests'],
    other: ['sandbox status'],
  }),
  'sandbox fault': () => ({
    create: ['sandbox fault add'],
    change: ['sandbox fault add'],
    use: ['sandbox fault add'],
    start: ['sandbox fault add'],
    remove: ['sandbox fault clear'],
    replace: ['sandbox fault clear'],
    stop: ['sandbox fault clear'],
    other: ['sandbox fault list'],
  }),
  store: () => ({
    create: ['serve --store PATH', 'A store is created by the service that uses it'],
    start: ['serve --store PATH'],
    check: ['store check'],
    show: ['store check'],
    remove: ['store remove'],
    replace: ['store reissue'],
    other: ['store copy'],
  }),
  token: () => ({
    list: ['token create', noTokens],
    show: ['token create', 'An activation token is shown once. Create another with'],
    remove: [
      'token create --ttl DURATION',
      'An activation token cannot be revoked: it works once, and expires. For a short lifetime use',
    ],
    use: ['connector activate'],
    check: ['doctor --token-file PATH'],
    other: ['token create'],
  }),
} as const satisfies Readonly<Record<string, () => Suggestions>>;

/** Verbs without a topic that mean something else than for a connector. */
const alone = (): Partial<Readonly<Record<Intent, Suggested>>> => ({
  use: ['profile use'],
  check: ['doctor'],
  start: ['serve'],
  change: ['login'],
  copy: ['store copy'],
});

/** The topic that a word names, also in the plural. */
function topicOf(word = ''): keyof typeof topics | undefined {
  const singular = word.replace(/s$/, '');
  return [word, singular].find((name): name is keyof typeof topics => Object.hasOwn(topics, name));
}

/**
 * The command for words of another tool, with the verb before or after what it is about; undefined for other words.
 *
 * @param names of the commands
 */
export function commandForVerb(
  words: readonly string[],
  names: readonly string[],
): Suggested | undefined {
  const [first = '', second = '', third] = words;
  const topic = topicOf(`${first} ${second}`) ?? topicOf(first);
  if (topic !== undefined) {
    const verb = topic.includes(' ') ? third : second;
    if (verb) return inTopic(topic, verb, names);
    return first === topic ? undefined : suggested(topic, 'list');
  }
  const object = topicOf(second);
  if (object === undefined) return aloneOrAboutConnectors(first, names);
  const isPlural = second !== object && intentOf(first) === 'show';
  return isPlural && third === undefined
    ? suggested(object, 'list')
    : inTopic(object, first, names);
}

function aloneOrAboutConnectors(verb: string, names: readonly string[]): Suggested | undefined {
  if (names.includes(`connector ${verb}`)) return [`connector ${verb}`];
  const intent = intentOf(verb);
  return (intent && alone()[intent]) ?? inTopic('connector', verb, names);
}

function inTopic(
  topic: keyof typeof topics,
  verb: string,
  names: readonly string[],
): Suggested | undefined {
  const exact = `${topic} ${verb}`;
  if (names.includes(exact)) return [exact];
  const intent = intentOf(verb);
  return intent && suggested(topic, intent);
}

function intentOf(verb: string): Intent | undefined {
  return intentNames.find((intent) => intents[intent].split(' ').includes(verb));
}

function suggested(topic: keyof typeof topics, intent: Intent): Suggested {
  const own: Suggestions = topics[topic]();
  return own[intent] ?? own.other;
}
