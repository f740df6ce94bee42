// A provider of OpenID Connect for the tests of sign-in: npm `oidc-provider` with its own login forms.
//
// Its options are JSON in the first argument: port, issuer (the address by which clients know it), the client's redirect
// and logout addresses, the algorithms of ID token and userinfo, and the file with its keys, which is made if it is
// missing. It prints one line when it listens.
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import Provider from 'oidc-provider';

// Nobody reads the output after its first line: what the provider says goes to the log.
console.info = console.error;

const options = JSON.parse(process.argv[2]);

function key(kid, alg) {
  const [type, details] = {
    RS256: ['rsa', { modulusLength: 2048 }],
    ES256: ['ec', { namedCurve: 'P-256' }],
    Ed25519: ['ed25519', {}],
  }[alg];
  const { privateKey } = generateKeyPairSync(type, details);
  return { ...privateKey.export({ format: 'jwk' }), kid, alg, use: 'sig' };
}

if (!existsSync(options.keys)) {
  const keys = ['RS256', 'ES256', 'Ed25519'].map((alg) => key(`${options.generation}-${alg}`, alg));
  writeFileSync(options.keys, JSON.stringify({ keys }));
}

const users = {
  ada: { preferred_username: 'ada', name: 'Ada Lovelace', groups: ['media', 'staff'] },
  eve: { preferred_username: 'ada', name: 'Eve', groups: [] },
  // No claim but the subject: no name, no e-mail address, no groups.
  nobody: {},
};

const provider = new Provider(options.issuer, {
  clients: [{
    client_id: 'svc',
    client_secret: 'a secret with : and %',
    redirect_uris: [options.redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    id_token_signed_response_alg: options.idTokenAlg,
    ...(options.userinfoAlg ? { userinfo_signed_response_alg: options.userinfoAlg } : {}),
    backchannel_logout_uri: options.logoutUri,
    backchannel_logout_session_required: true,
  }],
  jwks: JSON.parse(readFileSync(options.keys, 'utf8')),
  enabledJWA: {
    idTokenSigningAlgValues: ['RS256', 'ES256', 'Ed25519'],
    userinfoSigningAlgValues: ['RS256', 'ES256', 'Ed25519'],
  },
  claims: { openid: ['sub'], profile: ['preferred_username', 'name', 'groups'] },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...users[id] }) }),
  features: {
    devInteractions: { enabled: true },
    jwtUserinfo: { enabled: true },
    backchannelLogout: { enabled: true },
    revocation: { enabled: true },
    rpInitiatedLogout: { enabled: true },
  },
  pkce: { required: () => true },
  rotateRefreshToken: true,
  // Its own agent refuses addresses of this machine, where the server under test is.
  fetch: (url, { dispatcher, ...request }) => globalThis.fetch(url, request),
  cookies: { keys: ['a key of the tests'] },
});
provider.proxy = true;
provider.on('server_error', (_, error) => console.error(error));
provider.on('backchannel.error', (_, error) => console.error(error));
provider.listen(options.port, '127.0.0.1', () => console.log(`listening on ${options.issuer}`));
