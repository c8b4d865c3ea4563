import {expect} from 'chai';
import {environmentTalk, loginTalk} from '../../src/cli/profile-talk.js';

describe('what is said of a login', () => {
  it('warns of a service to which the key goes readable for everybody on the way', () => {
    const warning = 'Warning: http:// sends the key unencrypted. Use https:// if you can.';
    expect(loginTalk('prod', 'http://connectors.example')).to.include(warning);
    for (const url of ['https://connectors.example', 'http://127.0.0.1:4480', 'http://[::1]:80']) {
      expect(loginTalk('prod', url)).to.deep.equal([
        'The service accepts the key. Saved as profile prod, which is now in use.',
      ]);
    }
  });

  it('names the variables that beat a profile, and only those', () => {
    expect(environmentTalk('prod', {PATH: '/bin', CONNECTORCTL_BASE_URL: ''})).to.deep.equal([]);
    expect(environmentTalk('prod', {CONNECTORCTL_PROFILE: 'prod'})).to.deep.equal([]);
    expect(environmentTalk('prod', {CONNECTORCTL_PROFILE: 'test'})).to.deep.equal([
      'Note: CONNECTORCTL_PROFILE is set in the environment and beats the profile until it is unset.',
    ]);
    const two = {CONNECTORCTL_API_KEY_FILE: 'a', CONNECTORCTL_BASE_URL: 'b'};
    expect(environmentTalk('prod', two)).to.deep.equal([
      'Note: CONNECTORCTL_BASE_URL, CONNECTORCTL_API_KEY_FILE are set in the environment and beat the profile until they are unset.',
    ]);
  });
});
