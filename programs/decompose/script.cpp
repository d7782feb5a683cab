// Components: minAssGTZ, the minimal associated primes over the rational numbers by the algorithm of Gianni, Trager and
// Zacharias [GTZ88], of the ideal of all constraints and relations [primdec.lib of DGPS22].
//
// Smooth: by the Jacobian criterion. A component of dimension d in n variables, with generators g, is singular where
// dg has a rank below n - d, that is where all minors of that size vanish; it is smooth if these and g generate 1. A
// reduced standard basis has generators x_k - (others), in which alone x_k occurs: each adds 1 to the rank, so that
// minors of the rest and of the other columns are enough. Columns of roots (r^2 = p) are left out: they are numbers.
#include "decompose/script.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace vessiot::decompose {

namespace {

constexpr std::string_view procedures = R"(
proc say(string mark, ideal G)
{
  int k;
  for (k=1; k<=ncols(G); k++) { if (G[k]!=0) { print(mark+" "+string(cleardenom(G[k]))); } }
}
// Drops generators that follow from the others and from what is known, those of high degree and many terms first.
proc essential(ideal G, ideal known)
{
  int k,n,worst;
  ideal H=simplify(G,2);
  ideal others;
  intvec is_tried=0:ncols(H);
  for (n=1; n<=ncols(H); n++)
  {
    worst=0;
    for (k=1; k<=ncols(H); k++)
    {
      if (is_tried[k]==0)
      {
        if (worst==0) { worst=k; }
        if (deg(H[k])>deg(H[worst]) or (deg(H[k])==deg(H[worst]) and size(H[k])>=size(H[worst]))) { worst=k; }
      }
    }
    is_tried[worst]=1;
    others=H;
    others[worst]=0;
    others=others+known;
    if (reduce(H[worst],std(others))==0) { H[worst]=0; }
  }
  return(simplify(H,2));
}
// Of a reduced standard basis: the generators of degree 1, or those above it.
proc part(ideal P, int is_linear)
{
  int k;
  ideal Q;
  for (k=1; k<=ncols(P); k++) { if ((deg(P[k])==1)==is_linear) { Q=Q,P[k]; } }
  return(simplify(Q,2));
}
proc degrees(ideal G)
{
  int k,n;
  for (k=1; k<=ncols(G); k++) { n=n+deg(G[k]); }
  return(n);
}
proc is_simpler(ideal G, ideal H)
{
  return(size(G)<size(H) or (size(G)==size(H) and degrees(G)<degrees(H)));
}
// The fewest and simplest generators: of those that were found, of the standard basis, or of both.
proc fewest(ideal found, ideal P)
{
  ideal A=essential(found,RELATIONS);
  ideal lines=part(P,1);
  ideal B=essential(part(P,0),RELATIONS+lines);
  B=lines+B;
  B=essential(B,RELATIONS);
  ideal C=essential(found+P,RELATIONS);
  if (is_simpler(B,A)) { A=B; }
  if (is_simpler(C,A)) { A=C; }
  return(A);
}
// Angles that differ by a constant 0 or pi all over a component, or add up to it: c_i = e c_k, s_i = f s_k with signs e,
// f. Then s_i c_k - e f c_i s_k, the sine of the difference or sum, vanishes, and its derivative nowhere.
proc linked_angles(ideal P)
{
  int i,k,e,f;
  ideal W;
  for (i=1; i<=ncols(COSINES); i++)
  {
    for (k=i+1; k<=ncols(COSINES); k++)
    {
      for (e=-1; e<=1; e=e+2)
      {
        for (f=-1; f<=1; f=f+2)
        {
          if (reduce(COSINES[i]-e*COSINES[k],P)==0 and reduce(SINES[i]-f*SINES[k],P)==0)
          {
            W=W,SINES[i]*COSINES[k]-e*f*COSINES[i]*SINES[k];
          }
        }
      }
    }
  }
  return(simplify(W,2+4));
}
proc singular_points(ideal P)
{
  int k;
  ideal lines=part(P,1);
  ideal Q=essential(part(P,0),lines);
  int codimension=N_POSITIONS-dim(P)-size(lines);
  if (codimension<=0) { return(ideal(1)); }
  intvec columns;
  int n;
  intvec is_line=0:nvars(basering);
  for (k=1; k<=size(lines); k++) { is_line=is_line+leadexp(lines[k]); }
  for (k=1; k<=N_POSITIONS; k++) { if (is_line[k]==0) { n++; columns[n]=k; } }
  matrix J=jacob(Q);
  J=submat(J,1..nrows(J),columns);
  return(std(minor(J,codimension)+Q+lines));
}
proc places(ideal S)
{
  int k;
  list M=minAssGTZ(S);
  for (k=1; k<=size(M); k++)
  {
    M[k]=std(M[k]);
    print("@place "+string(dim(M[k])));
    say("@equation",M[k]);
  }
}
)";

constexpr std::string_view questions = R"(
ideal CONSTRAINTS_BASIS=std(CONSTRAINTS);
if (dim(CONSTRAINTS_BASIS)<0) { print("@empty"); print("@end"); quit; }
list FOUND=minAssGTZ(CONSTRAINTS);
list COMPONENT, GENERATORS;
int i,k,n,is_excluded;
ideal S;
for (i=1; i<=size(FOUND); i++)
{
  S=std(FOUND[i]);
  is_excluded=0;
  for (k=1; k<=ncols(DENOMINATORS); k++)
  {
    if (DENOMINATORS[k]!=0) { if (reduce(DENOMINATORS[k],S)==0) { is_excluded=1; } }
  }
  if (is_excluded) { print("@excluded"); }
  else
  {
    n++;
    COMPONENT[n]=S;
    GENERATORS[n]=FOUND[i];
    print("@component "+string(dim(S)));
    say("@generator",S);
  }
}
print("@components");
for (i=1; i<=n; i++) { print("@minimal "+string(i)); say("@generator",fewest(GENERATORS[i],COMPONENT[i])); say("@link",linked_angles(COMPONENT[i])); print("@done"); }
for (i=1; i<=n; i++)
{
  S=singular_points(COMPONENT[i]);
  print("@singular "+string(i)+" "+string(dim(S)));
  if (dim(S)>=0) { places(S); }
  print("@done");
}
for (i=1; i<=n; i++)
{
  for (k=i+1; k<=n; k++)
  {
    S=std(COMPONENT[i]+COMPONENT[k]);
    if (dim(S)>=0) { print("@meet "+string(i)+" "+string(k)); places(S); print("@done"); }
  }
}
print("@meetings");
S=FOUND[1];
for (i=2; i<=size(FOUND); i++) { S=intersect(S,FOUND[i]); }
print("@radical "+string(size(reduce(S,CONSTRAINTS_BASIS))==0));
print("@end");
quit;
)";

std::string list(const std::vector<std::string>& items) {
    return items.empty() ? "0" : fmt::format("{}", fmt::join(items, ",\n"));
}

} // namespace

std::string make_script(const PolynomialSystem& system) {
    std::vector<std::string> names;
    for (std::size_t k = 1; k <= system.variables.size(); ++k) names.push_back(fmt::format("x{}", k));
    std::string script = "LIB \"primdec.lib\";\n";
    script += fmt::format("ring R=0,({}),dp;\nshort=0;\noption(redSB);\n", list(names));
    script += fmt::format("int N_POSITIONS={};\n", system.variables.size() - system.n_roots());
    script += fmt::format("{}\n", fmt::join(system.definitions, "\n"));
    script += fmt::format("ideal RELATIONS={};\n", list(system.relations));
    std::vector<std::string> cosines, sines;
    for (std::size_t k = 0; k < names.size(); ++k) {
        if (system.variables[k].kind == Variable::Kind::cosine) cosines.push_back(names[k]);
        if (system.variables[k].kind == Variable::Kind::sine) sines.push_back(names[k]);
    }
    script += fmt::format("ideal COSINES={};\nideal SINES={};\n", list(cosines), list(sines));
    script += fmt::format("ideal CONSTRAINTS={};\nCONSTRAINTS=CONSTRAINTS+RELATIONS;\n", list(system.constraints));
    script += fmt::format("ideal DENOMINATORS={};\n", list(system.denominators));
    return script + std::string(procedures) + std::string(questions);
}

} // namespace vessiot::decompose
